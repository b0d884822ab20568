import type { Total } from '@tillkit/payments/internal/store';

/**
 * Payments and money of some totals. Amounts are in minor units, of one currency. A payment link counts as a payment after it was paid,
 * because before that nobody was asked to pay.
 */
export interface Sums {
  currency: string;
  /** All payments, also those that are open. */
  payments: number;
  paid: number;
  failed: number;
  reversed: number;
  /** Money of the paid payments, also of those that were reversed later. */
  volume: bigint;
  /** The part of `volume` that went back. */
  reversedVolume: bigint;
  /** The part of `reversedVolume` that our refunds sent back. */
  refunded: bigint;
  paidOut: bigint;
}

/** Returns the money that remains after reversals and payouts. */
export function netOf({ volume, reversedVolume, paidOut }: Sums): bigint {
  return volume - reversedVolume - paidOut;
}

/** Returns the totals without payment links, which have their own list and no rate of success. */
export function withoutLinks(totals: readonly Total[]): Total[] {
  return totals.filter(({ kind }) => kind !== 'payment_link');
}

/**
 * Returns the percentage of the completed payments that are paid; null when none is completed. A reversed payment does not count as paid, because its
 * money went back.
 */
export function successRate({ paid, failed, reversed }: Sums): number | null {
  const completed = paid + failed;
  return completed === 0 ? null : ((paid - reversed) / completed) * 100;
}

export function nothing(currency: string): Sums {
  return {
    currency,
    payments: 0,
    paid: 0,
    failed: 0,
    reversed: 0,
    volume: 0n,
    reversedVolume: 0n,
    refunded: 0n,
    paidOut: 0n,
  };
}

/** Returns the sums of each currency. The currency of most payments comes first. */
export function sumsByCurrency(totals: readonly Total[]): Sums[] {
  return [...sumsBy(totals, ({ currency }) => currency).values()].sort(
    (one, other) => other.payments - one.payments,
  );
}

/** Returns the sums of each group of totals. A group has one currency. */
export function sumsBy(
  totals: readonly Total[],
  groupOf: (total: Total) => string,
): Map<string, Sums> {
  const groups = new Map<string, Sums>();
  for (const total of totals) {
    if (!isCounted(total)) continue;
    const group = groupOf(total);
    const sums = groups.get(group) ?? nothing(total.currency);
    groups.set(group, add(sums, total));
  }
  return groups;
}

/** True when a total adds to the sums. Other totals make no group, because it would be a row of zeros. */
function isCounted({ measure, kind, name, currency }: Total): boolean {
  if (currency === '') return false;
  if (measure === 'movement') return name === 'paid_out';
  if (measure !== 'state' && measure !== 'open') return false;
  if (kind === 'payment_link') return name === 'succeeded' || name === 'reversed';
  return kind === 'payment' || (kind === 'refund' && name === 'succeeded');
}

function add(sums: Sums, { measure, kind, name, count, minor: text }: Total): Sums {
  const minor = BigInt(text);
  if (measure === 'movement') return { ...sums, paidOut: sums.paidOut + minor };
  if (kind === 'refund') return { ...sums, refunded: sums.refunded + minor };
  const payments = sums.payments + count;
  switch (name) {
    case 'succeeded':
      return { ...sums, payments, paid: sums.paid + count, volume: sums.volume + minor };
    case 'reversed':
      return {
        ...sums,
        payments,
        paid: sums.paid + count,
        reversed: sums.reversed + count,
        volume: sums.volume + minor,
        reversedVolume: sums.reversedVolume + minor,
      };
    case 'failed':
      return { ...sums, payments, failed: sums.failed + count };
    default:
      return { ...sums, payments };
  }
}
