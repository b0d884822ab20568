import { html, type Html } from '@tillkit/pages';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly problem?: string | undefined;
  /** @default 'off' */
  readonly autocomplete?: 'name' | 'tel';
  /** True when the field shows a value to copy. */
  readonly isReadOnly?: boolean;
}

/** Returns a field with its label, hint and problem. */
export function formField(field: Field): Html {
  const { name, label, hint, value, problem, autocomplete = 'off', isReadOnly } = field;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <p class="soft" id="${name}-hint">${hint}</p>
    <input
      id="${name}"
      name="${name}"
      value="${value}"
      autocomplete="${autocomplete}"
      type="${autocomplete === 'tel' ? 'tel' : 'text'}"
      ${isReadOnly ? 'readonly' : 'required'}
      aria-describedby="${name}-hint${problem && ` ${name}-problem`}"
      ${problem && html`aria-invalid="true" autofocus`}
    />
    ${problem && html`<p class="problem" id="${name}-problem">${problem}</p>`}
  </div>`;
}

export function phoneField(value: string, problem: string | undefined): Html {
  return formField({
    name: 'phone',
    label: 'Phone number',
    hint: 'The mobile-money number to pay from, such as 0700\u00a0000\u00a0001.',
    autocomplete: 'tel',
    value,
    problem,
  });
}
