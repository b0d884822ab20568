import { html, type Html } from '@tillkit/pages';

/** One field of a form, as typed, with what is wrong with it. */
export interface FormField {
  name: string;
  label: string;
  value: string;
  problem?: string | undefined;
  hint?: string;
  /** @default 'text' */
  type?: 'text' | 'tel';
  isOptional?: boolean;
}

export function field({ name, label, value, problem, hint, type, isOptional }: FormField): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type ?? 'text'}"
      value="${value}"
      maxlength="500"
      placeholder="${hint}"
      autocomplete="off"
      ${!isOptional && html`required`}
      ${problem && html`aria-invalid="true" aria-describedby="${name}-problem"`}
    />
    ${problem && html`<p class="field-error" id="${name}-problem">${problem}</p>`}
  </div>`;
}

/** Fields that a form repeats unchanged. */
export function hidden(fields: Readonly<Record<string, string | undefined>>): Html {
  return html`${Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        html`<input type="hidden" name="${name}" value="${value}" autocomplete="off" />`,
    )}`;
}
