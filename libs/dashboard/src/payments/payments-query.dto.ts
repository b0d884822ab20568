import type { PaymentState } from '@tillkit/payments';
import type { OperationFilter } from '@tillkit/payments/store';
import { PAYMENT_STATES } from '../html/state.fragment.js';
import type { TimeFormat } from '../html/time.format.js';
import type { Words } from '../words/english.words.js';
import { isSearchable } from '../web/list.dto.js';
import type { LinkQuery } from '../web/visit.dto.js';

export type FilterField = 'phone' | 'reference' | 'key' | 'platformId' | 'state' | 'from' | 'to';

/** A search for payments: the text of each field, the filter for the store, and an error for each invalid field. */
export interface PaymentsQuery {
  typed: Record<Exclude<FilterField, 'state'>, string>;
  states: string[];
  filter: OperationFilter;
  problems: Partial<Record<FilterField, string>>;
}

/** Reads a search from query parameters or from a form. */
export function readPaymentsQuery(
  fields: URLSearchParams,
  times: TimeFormat,
  readPhone: (text: string) => string | null,
  { problems: texts }: Words,
): PaymentsQuery {
  const typed = (name: string): string => fields.get(name)?.trim() ?? '';
  const query: PaymentsQuery = {
    typed: {
      phone: typed('phone'),
      reference: typed('reference'),
      key: typed('key'),
      platformId: typed('platformId'),
      from: typed('from'),
      to: typed('to'),
    },
    states: fields.getAll('state').filter(Boolean),
    filter: { kind: 'payment' },
    problems: {},
  };
  readStates(query, texts);
  readText(query, 'reference', 'reference', texts);
  readText(query, 'key', 'idempotencyKey', texts);
  readText(query, 'platformId', 'platformId', texts);
  readTime(query, 'from', times, texts);
  readTime(query, 'to', times, texts);
  readPhoneField(query, readPhone, texts);
  return query;
}

/** The query parameters of a search: every field except the phone number. */
export function linkQueryOf({ typed, states }: PaymentsQuery): LinkQuery {
  const { phone: _, ...rest } = typed;
  const given = Object.entries(rest).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(given), ...(states.length > 0 && { state: states }) };
}

export function isInvalid({ problems }: PaymentsQuery): boolean {
  return Object.keys(problems).length > 0;
}

function readStates({ states, filter, problems }: PaymentsQuery, texts: Words['problems']): void {
  if (states.length === 0) return;
  if (states.every((state) => PAYMENT_STATES.includes(state as PaymentState))) {
    filter.states = [...new Set(states)] as PaymentState[];
  } else {
    problems.state = texts.state;
  }
}

function readText(
  { typed, filter, problems }: PaymentsQuery,
  field: 'reference' | 'key' | 'platformId',
  name: 'reference' | 'idempotencyKey' | 'platformId',
  texts: Words['problems'],
): void {
  const value = typed[field];
  if (value === '') return;
  if (isSearchable(value)) filter[name] = value;
  else problems[field] = texts.text;
}

function readTime(
  { typed, filter, problems }: PaymentsQuery,
  field: 'from' | 'to',
  times: TimeFormat,
  texts: Words['problems'],
): void {
  const value = typed[field];
  if (value === '') return;
  const time = times.fromField(value);
  if (time) filter[field] = time;
  else problems[field] = texts.date;
}

function readPhoneField(
  { typed, filter, problems }: PaymentsQuery,
  readPhone: (text: string) => string | null,
  texts: Words['problems'],
): void {
  if (typed.phone === '') return;
  const phone = typed.phone.length <= 40 ? readPhone(typed.phone) : null;
  if (phone) filter.phoneNumber = phone;
  else problems.phone = texts.phone;
}
