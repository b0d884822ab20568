import type { Total } from '@tillkit/payments/internal/store';

/**
 * Payments and money of some totals. Amounts are in minor units, of one currency. A payment link counts as a payment once it was paid: until
 * then nobody was asked to pay.
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
  /** Of that, what went back. */
  reversedVolume: bigint;
  /** What our refunds sent back: a part of what went back. */
  refunded: bigint;
  paidOut: bigint;
}

/** What remains. */
export function netOf({ volume, reversedVolume, paidOut }: Sums): bigint {
  return volume - reversedVolume - paidOut;
}

/** Totals without those of payment links: these have a list of their own, and no rate of success. */
export function withoutLinks(totals: readonly Total[]): Total[] {
  return totals.filter(({ kind }) => kind !== 'payment_link');
}

/** Percentage of the completed payments that are paid; null when none is completed. The money of a reversed payment went back, so it is not. */
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

/** The sums of each currency, that of most payments first. */
export function sumsByCurrency(totals: readonly Total[]): Sums[] {
  return [...sumsBy(totals, ({ currency }) => currency).values()].sort(
    (one, other) => other.payments - one.payments,
  );
}

/** The sums of each group of totals. A group has one currency. */
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

/** Whether a total adds to sums. What adds nothing makes no group: it would be a row of zeros. */
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
