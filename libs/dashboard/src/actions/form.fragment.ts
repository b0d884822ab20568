import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import { isSearchable } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

export interface FormDefinition {
  /** The form is posted to this address. */
  action: string;
  /** The class of the form. */
  look?: 'review';
  /** This text stands before the names of its fields, so that a page can have several forms. */
  id?: string;
  /** A sentence above its fields. */
  intro?: HtmlContent;
  /** This part stands above the fields and is no field. */
  content?: Html | null;
  choices?: readonly (FormChoices | null)[];
  fields?: readonly FormField[];
  /** Fields that are repeated unchanged. */
  repeated?: Readonly<Record<string, string | undefined>>;
  button: FormButton;
  /** True when the form has buttons for which its fields may be empty. */
  isLoose?: boolean;
}

/** One field, in which a person writes. */
export interface FormField {
  name: string;
  label: string;
  hint?: string;
  /** @default 'text' */
  type?: 'text' | 'tel' | 'datetime-local';
  isOptional?: boolean;
}

/** Several outcomes of which a person chooses one, or several. */
export interface FormChoices {
  legend: string;
  name: string;
  type: 'radio' | 'checkbox';
  choices: readonly (readonly [value: string, label: string])[];
}

interface FormButton {
  label: HtmlContent;
  look?: 'quiet' | 'small' | 'quiet small';
  name?: string;
  value?: string;
}

/** The typed values and the problems, both by the names of the fields. */
export interface Typed {
  values?: Readonly<Record<string, string>>;
  problems?: Readonly<Record<string, string>>;
}

/** Returns a form. It needs no script, because the browser posts it. */
export function form(
  visit: Visit,
  {
    action,
    look,
    id,
    intro,
    content,
    choices = [],
    fields = [],
    repeated = {},
    button,
    isLoose,
  }: FormDefinition,
  typed: Typed = {},
): Html {
  return html`<form
    ${look && html`class="${look}"`}
    method="post"
    action="${action}"
    autocomplete="off"
    ${isLoose && html`novalidate`}
  >
    ${intro && html`<p>${intro}</p>`} ${content} ${choices.map((each) => each && chosen(each))}
    ${fields.length > 0 && html`<div class="fields">${fields.map((each) => field(each, typed, id))}</div>`}
    ${hidden(repeated)}
    <p class="actions">${buttonOf(button)} ${inAccount(visit)}</p>
  </form>`;
}

/** Returns a form that is only its button. */
export function buttonForm(
  visit: Visit,
  {
    action,
    look,
    repeated = {},
    button,
  }: Pick<FormDefinition, 'action' | 'repeated' | 'button'> & { look?: 'actions' | 'inline' },
): Html {
  return html`<form ${look && html`class="${look}"`} method="post" action="${action}">
    ${hidden(repeated)}${buttonOf(button)} ${inAccount(visit)}
  </form>`;
}

/** Returns one field, with the typed text and its problem. */
export function field(
  { name, label, hint, type = 'text', isOptional }: FormField,
  { values = {}, problems = {} }: Typed,
  form?: string,
): Html {
  const id = form === undefined ? name : `${form}-${name}`;
  const problem = problems[name];
  return html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${values[name]}"
      maxlength="500"
      placeholder="${hint}"
      autocomplete="off"
      ${!isOptional && html`required`}
      ${problem && html`aria-invalid="true" aria-describedby="${id}-problem"`}
    />
    ${problem && html`<p class="field-error" id="${id}-problem">${problem}</p>`}
  </div>`;
}

/** Returns fields that a form repeats unchanged. */
export function hidden(fields: Readonly<Record<string, string | undefined>>): Html {
  return html`${Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        html`<input type="hidden" name="${name}" value="${value}" autocomplete="off" />`,
    )}`;
}

/** Reads the fields of a form. A field has a problem when it is missing, or when a store would not accept its text. */
export function readForm(
  fields: readonly FormField[],
  form: URLSearchParams,
): Required<Typed> & { isUsable: boolean } {
  const values = Object.fromEntries(
    fields.map(({ name }) => [name, form.get(name)?.trim() ?? '']),
  ) as Record<string, string>;
  const wrong = fields.filter(({ name, isOptional }) => {
    const value = values[name] ?? '';
    return (value === '' && !isOptional) || !isSearchable(value);
  });
  const problems = Object.fromEntries(wrong.map(({ name }) => [name, WORDS.problems.text]));
  return { values, problems, isUsable: wrong.length === 0 };
}

function chosen({ legend, name, type, choices }: FormChoices): Html {
  return html`<fieldset class="choices">
    <legend>${legend}</legend>
    ${choices.map(
      ([value, label]) =>
        html`<label
          ><input
            type="${type}"
            name="${name}"
            value="${value}"
            ${type === 'radio' && html`required`}
          />${label}</label
        >`,
    )}
  </fieldset>`;
}

function buttonOf({ label, look, name, value }: FormButton): Html {
  return html`<button
    ${look && html`class="${look}"`}
    ${name && html`name="${name}" value="${value}"`}
  >
    ${label}
  </button>`;
}
