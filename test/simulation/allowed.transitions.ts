type Table = Readonly<Record<string, readonly string[]>>;

const PAYMENT: Table = {
  created: ['requested', 'failed'],
  requested: ['pending', 'unknown', 'failed', 'succeeded', 'needs_review'],
  pending: ['succeeded', 'failed', 'needs_review'],
  unknown: ['pending', 'succeeded', 'failed', 'needs_review'],
  needs_review: ['succeeded', 'failed', 'reversed'],
  failed: ['needs_review'],
  succeeded: ['reversed'],
};

const REFUND: Table = { ...PAYMENT, needs_review: ['succeeded', 'failed'], succeeded: [] };

const PAYOUT: Table = {
  ...REFUND,
  requested: [...(PAYMENT['requested'] ?? []), 'partially_succeeded'],
  pending: ['succeeded', 'partially_succeeded', 'failed', 'needs_review'],
  unknown: ['pending', 'succeeded', 'partially_succeeded', 'failed', 'needs_review'],
  needs_review: ['succeeded', 'partially_succeeded', 'failed'],
  partially_succeeded: ['needs_review'],
};

/** Every state transition that the rules allow, written independently of the library. */
const TABLES: Readonly<Record<string, Table>> = {
  payment: PAYMENT,
  payment_link: PAYMENT,
  payout: PAYOUT,
  refund: REFUND,
};

export function isAllowed(kind: string, from: string, to: string): boolean {
  return TABLES[kind]?.[from]?.includes(to) === true;
}
