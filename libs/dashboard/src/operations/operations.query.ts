import type {
  OperationFilter,
  OperationRecord,
  Page,
  PageRequest,
} from '@tillkit/payments/internal/store';
import type { Visit } from '../web/visit.dto.js';

/** Returns a page of operations. Their reference is the one of their money: the whole receipt, or its beginning or end, in any case. */
export async function readOperations(
  { account: { store, name } }: Visit,
  filter: OperationFilter,
  page: PageRequest,
): Promise<Page<OperationRecord>> {
  const { reference, ...others } = filter;
  if (reference === undefined) return store.operations.list(name, filter, page);
  const found = await store.transactions.list(name, { receipt: reference }, page);
  const { items: transactions, next } = found;
  const ids = transactions.flatMap(({ sums }) =>
    sums.flatMap(({ paymentId, paymentLinkId }) => paymentId ?? paymentLinkId ?? []),
  );
  // The store may keep an operation longer than its transaction, so we look for the operation itself.
  if (ids.length === 0 && next === null && page.after === undefined)
    return store.operations.list(name, filter, page);
  const { items } =
    ids.length === 0
      ? { items: [] }
      : await store.operations.list(name, { ...others, ids }, { limit: ids.length });
  // No operation fits on this page, but there are more transactions.
  const lookedTo = items.length === 0 && next !== null ? transactions.at(-1)?.createdAt : undefined;
  return { ...(lookedTo && { lookedTo }), ...found, items };
}
