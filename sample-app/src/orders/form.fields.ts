import { html, type Html, type HtmlContent } from '../web/html.template.js';

export interface Field {
  readonly value: string;
  readonly problem?: string | undefined;
  /** Whether the page opens with the cursor here: in the first field that is wrong. */
  readonly focus?: boolean;
}

interface NamedField extends Field {
  readonly name: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly hint?: string;
  readonly attributes?: HtmlContent;
}

/** A labelled field, with what is wrong beside it. */
export function textField(field: NamedField): Html {
  const { name, label, value, autocomplete, hint, problem, focus, attributes } = field;
  const describedBy = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean);
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint && html`<p class="field__hint" id="${name}-hint">${hint}</p>`}
    <input
      id="${name}"
      name="${name}"
      value="${value}"
      autocomplete="${autocomplete}"
      required
      ${attributes}
      ${describedBy.length > 0 && html`aria-describedby="${describedBy.join(' ')}"`}
      ${problem && html`aria-invalid="true"`}
      ${focus && html`autofocus`}
    />
    ${problem && html`<p class="field__problem" id="${name}-problem">${problem}</p>`}
  </div>`;
}

export function phoneField(field: Field): Html {
  return textField({
    ...field,
    name: 'phone',
    label: 'Phone number',
    autocomplete: 'tel',
    hint: 'The mobile-money number to pay from, such as 0700\u00a0000\u00a0001.',
    attributes: html`type="tel" inputmode="tel"`,
  });
}
