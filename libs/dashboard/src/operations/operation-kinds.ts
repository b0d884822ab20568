import type { PaymentsAccount } from '@tillkit/payments';
import type { OperationRecord } from '@tillkit/payments/internal/store';
import { isId } from '../web/list.dto.js';
import { notFound } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';

/** The pages of each kind of operation, below the pages of its account. */
const PATHS = {
  payment: 'payments',
  payout: 'payouts',
  refund: 'refunds',
  payment_link: 'payment-links',
} as const;

export const KINDS = Object.keys(PATHS) as readonly OperationKindName[];

export type OperationKindName = keyof typeof PATHS;

type Services = 'payments' | 'payouts' | 'refunds' | 'paymentLinks';

export function listOf(kind: OperationKindName): (typeof PATHS)[OperationKindName] {
  return PATHS[kind];
}

export function pathOf({ kind, id }: Pick<OperationRecord, 'kind' | 'id'>): string {
  return `${PATHS[kind as OperationKindName]}/${encodeURIComponent(id)}`;
}

/**
 * Returns an operation of any kind, or of one. Ids are unique within an account.
 * @throws PageError 404 when the account of the visit has none with the id
 */
export async function operationOf<O extends OperationRecord = OperationRecord>(
  { account }: Visit,
  id: string,
  is: (operation: OperationRecord) => operation is O = isShown,
): Promise<O> {
  const { store, name } = account;
  const found = isId(id) ? await store.operations.find(name, id) : null;
  if (!found || !is(found)) throw notFound('operation');
  return found;
}

/** True when we have pages for its kind. */
function isShown<O extends OperationRecord>(operation: OperationRecord): operation is O {
  return Object.hasOwn(PATHS, operation.kind);
}

/** Returns the service that acts on operations of this kind. */
export function serviceOf(
  account: PaymentsAccount,
  { kind }: Pick<OperationRecord, 'kind'>,
): Pick<PaymentsAccount[Services], 'note' | 'check'> {
  switch (kind as OperationKindName) {
    case 'payment':
      return account.payments;
    case 'payout':
      return account.payouts;
    case 'refund':
      return account.refunds;
    case 'payment_link':
      return account.paymentLinks;
  }
}
