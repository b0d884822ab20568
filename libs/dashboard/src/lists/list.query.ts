import type { LinkQuery } from '../web/visit.dto.js';
import { hasPhone } from '../html/phone.format.js';
import type { ListDefinition, ListField } from './list.definition.js';

/** The query of a list: the text of each field, the states, the filter for the store, and the problem of each field. */
export interface ListQuery<F> {
  typed: Readonly<Record<string, string>>;
  states: readonly string[];
  filter: F;
  problems: Readonly<Record<string, string>>;
}

/**
 * Reads a filter from the parameters of an address or from a form.
 * @param privately true reads also the fields that name a person, which our pages never put into an address
 */
export function readListQuery<F, T>(
  { fields, filter: unfiltered, states: possible, applyStates }: ListDefinition<F, T>,
  parameters: URLSearchParams,
  privately: boolean,
): ListQuery<F> {
  const filter = { ...unfiltered };
  const typed: Record<string, string> = {};
  const problems: Record<string, string> = {};
  for (const { name, isPrivate, apply } of fields) {
    const value = parameters.get(name)?.trim() ?? '';
    if (value === '' || (isPrivate && !privately)) continue;
    typed[name] = value;
    const problem = apply(filter, value);
    if (problem !== null) problems[name] = problem;
  }
  const states = [...new Set(parameters.getAll('state').filter(Boolean))];
  if (states.some((state) => !possible.some(({ value }) => value === state)))
    problems['state'] = 'There is no such state. Choose one from the list.';
  else if (states.length > 0) applyStates(filter, states);
  return { typed, states, filter, problems };
}

export function isInvalid({ problems }: ListQuery<unknown>): boolean {
  return Object.keys(problems).length > 0;
}

export function hasCriteria({ typed, states }: ListQuery<unknown>): boolean {
  return states.length > 0 || Object.keys(typed).length > 0;
}

/** True when the filter names a person. */
export function isPrivate<F, T>(
  { fields }: ListDefinition<F, T>,
  { typed }: ListQuery<F>,
): boolean {
  return fields.some((field) => isPrivateIn(field, typed[field.name]));
}

/** People may type a phone number, or a part of one, into the field of an order number. */
function isPrivateIn<F>({ isPrivate, input }: ListField<F>, text: string | undefined): boolean {
  return text !== undefined && (isPrivate === true || (input === 'text' && hasPhone(text)));
}

/** Returns the parameters of the address of a filter. Fields that name a person are not among them. */
export function linkQueryOf<F, T>(
  { fields }: ListDefinition<F, T>,
  { typed, states }: ListQuery<F>,
): LinkQuery {
  const shown = fields
    .filter((field) => !isPrivateIn(field, typed[field.name]))
    .map(({ name }) => [name, typed[name]] as const);
  return { ...(states.length > 0 && { state: states }), ...Object.fromEntries(shown) };
}
