import { PaymentsValidationError, type RequestPayout } from '@tillkit/payments';
import type { SendMoneyDestination } from '@tillkit/payments/types';
import { WORDS } from '../words/english.words.js';

/** The fields of each type of destination, in the order of the form. */
export const DESTINATION_FIELDS = {
  mobile_wallet: ['nickname', 'phoneNumber', 'network', 'amount', 'description'],
  till: ['nickname', 'tillNumber', 'amount', 'description'],
  paybill: ['nickname', 'paybillNumber', 'paybillAccountNumber', 'amount', 'description'],
  bank_account: ['accountName', 'accountNumber', 'bankBranchRef', 'amount', 'description'],
  merchant_wallet: ['reference', 'amount'],
  merchant_bank_account: ['reference', 'amount'],
} as const satisfies Record<SendMoneyDestination['type'], readonly string[]>;

export type DestinationType = SendMoneyDestination['type'];
export type DestinationField = (typeof DESTINATION_FIELDS)[DestinationType][number];

export const DESTINATION_TYPES = Object.keys(DESTINATION_FIELDS) as DestinationType[];

/** The name that the operator gives the recipient; the only field that may be empty. */
export const OPTIONAL_FIELDS: readonly DestinationField[] = ['nickname'];

export const MOST_DESTINATIONS = 20;

/** One destination of the form, as typed. */
export interface DestinationRow {
  type: DestinationType;
  values: Partial<Record<DestinationField, string>>;
}

/** The form of a payout, as typed. */
export interface PayoutForm {
  currency: string;
  source: string;
  rows: DestinationRow[];
}

export function isDestinationType(type: string | undefined): type is DestinationType {
  return type !== undefined && Object.hasOwn(DESTINATION_FIELDS, type);
}

/** Returns the name of a field of a destination in the form. */
export function nameOf(index: number, field: DestinationField | 'type'): string {
  return `d${index}.${field}`;
}

export function readPayoutForm(fields: URLSearchParams): PayoutForm {
  const typed = (name: string): string => fields.get(name)?.trim() ?? '';
  const rows: DestinationRow[] = [];
  for (let index = 0; index < MOST_DESTINATIONS; index += 1) {
    const type = typed(nameOf(index, 'type'));
    if (!isDestinationType(type)) break;
    const values = DESTINATION_FIELDS[type].map((field) => [field, typed(nameOf(index, field))]);
    rows.push({ type, values: Object.fromEntries(values) as DestinationRow['values'] });
  }
  return { currency: typed('currency'), source: typed('source'), rows };
}

/** Returns the fields of the form by their names, for a page that repeats them. */
export function fieldsOf({ currency, source, rows }: PayoutForm): Record<string, string> {
  const destinations = rows.flatMap(({ type, values }, index) => [
    [nameOf(index, 'type'), type],
    ...Object.entries(values).map(([field, value]) => [`d${index}.${field}`, value]),
  ]);
  return { currency, source, ...(Object.fromEntries(destinations) as Record<string, string>) };
}

/** Returns the request of a form. The library checks every field. */
export function requestOf(
  { currency, source, rows }: PayoutForm,
  idempotencyKey: string,
  requestedBy: string | null,
): RequestPayout {
  const destinations = rows.map(({ type, values }) => {
    const given = Object.entries(values).filter(([, value]) => value !== '');
    return { type, ...Object.fromEntries(given) } as SendMoneyDestination;
  });
  return {
    idempotencyKey,
    ...(requestedBy !== null && { requestedBy }),
    currency: currency.toUpperCase(),
    destinations: destinations as unknown as RequestPayout['destinations'],
    ...(source !== '' && { sourceIdentifier: source }),
  };
}

/** Returns the problem of each field of the form, by its name. Problems that belong to no field have the name ''. */
export function payoutProblems({ problems }: PaymentsValidationError): Record<string, string> {
  const named = problems.map(({ field, problem }) => {
    const [list, index, of = ''] = field.split('.');
    if (list === 'destinations' && index !== undefined) {
      const texts: Readonly<Record<string, string>> = WORDS.payoutForm.problems;
      return [`d${index}.${of}`, texts[of] ?? problem];
    }
    if (field === 'currency') return ['currency', WORDS.payoutForm.problems.currency];
    if (field === 'sourceIdentifier') return ['source', problem];
    if (field === 'destinations') return ['', WORDS.payoutForm.problems.destinations];
    return ['', `${field} ${problem}`];
  });
  return Object.fromEntries(named) as Record<string, string>;
}
