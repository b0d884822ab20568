import { digest } from '../money/digest.js';
import { plainNumber } from '../money/till-number.js';
import type { GuardKey, NewOperation, Operation } from '../store/operation.js';
import type { RefusedByGuard } from '../store/operations.store.js';
import { GUARDED_STATES, PAID_STATES } from './operation-states.js';

/** A guard that an operation which was paid never leaves: longer than anything is kept. */
export const FOR_EVER_MS = 100 * 365 * 24 * 60 * 60_000;

/** A key of a guard: 128 bits, in hex, from which nobody reads what it is of, but who knows that can compute it. */
export function guardKey(...parts: readonly unknown[]): string {
  return digest(32, ...parts);
}

/** What is owed is paid once, whoever pays it, how, and by which kind of operation. */
export function orderGuard(order: string | null): GuardKey[] {
  return order === null ? [] : [{ key: guardKey('order', order), paidForMs: FOR_EVER_MS }];
}

/** Whether a key is kept after retention has redacted its operation: it is of money or of an order, not of a person. */
export function isLasting({ paidForMs = 0 }: GuardKey): boolean {
  return paidForMs >= FOR_EVER_MS;
}

/** An operation that has keys in common with a new one, or that the new one names. */
export interface GuardHolder extends Pick<Operation, 'id' | 'state' | 'tills' | 'unchangedMs'> {
  readonly keys: readonly string[];
}

/**
 * What refuses an operation; null when nothing does. An operation without an outcome refuses all others that have a key in common and do not
 * name it. What is paid refuses whoever names it, and for a time, or for ever, whoever has a key in common. `refusal_of` of the PostgreSQL store says
 * the same; one contract of stores has every case.
 */
export function refusalOf(
  { guard, tills, besides }: Pick<NewOperation, 'guard' | 'tills' | 'besides'>,
  holders: readonly GuardHolder[],
): { kind: RefusedByGuard['kind']; ids: readonly string[] } | null {
  const shared = (holder: GuardHolder): readonly GuardKey[] =>
    (guard?.keys ?? []).filter(
      ({ key, atTill }) =>
        holder.keys.includes(key) && (!atTill || haveTillInCommon(tills, holder)),
    );
  const isPaid = (holder: GuardHolder): boolean =>
    PAID_STATES.includes(holder.state) &&
    (besides.includes(holder.id) ||
      shared(holder).some(({ paidForMs = 0 }) => holder.unchangedMs < paidForMs));
  const isInFlight = (holder: GuardHolder): boolean =>
    GUARDED_STATES.includes(holder.state) &&
    !besides.includes(holder.id) &&
    shared(holder).length > 0;
  for (const [kind, refuses] of [
    ['already_paid', isPaid],
    ['in_flight', isInFlight],
  ] as const) {
    const ids = holders.filter(refuses).map(({ id }) => id);
    if (ids.length > 0) return { kind, ids };
  }
  return null;
}

function haveTillInCommon(own: readonly string[], { tills }: GuardHolder): boolean {
  const numbers = new Set(tills.map(plainNumber));
  return own.length === 0 || own.some((till) => numbers.has(plainNumber(till)));
}
