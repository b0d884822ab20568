/** All of them. */
export const REVIEW_CAUSES = [
  /** No callback came, and what was asked of the platform shows nothing. */
  'no_evidence',
  /** The platform says `Success`, twice, and shows no transaction. */
  'no_transaction',
  /** Several transactions at the till could be the payment, or several payments the transaction. */
  'ambiguous',
  'amount_mismatch',
  'currency_mismatch',
  'till_mismatch',
  'unreadable_amount',
  'success_with_errors',
  'failed_with_transaction',
  /** Money came for an operation that had failed. */
  'paid_after_failure',
  'second_transaction',
  'transaction_of_another_payment',
  /** Results of a payout that belong to none of its destinations. */
  'unmatched_results',
  /** Two reports of one money name another amount, currency or till. */
  'reports_differ',
  /** A reversal of another amount than the money. */
  'other_amount_reversed',
  /** The money was received and went back. */
  'reversed',
] as const;

/**
 * What sends an operation to review: the evidence of its platform is not enough, or contradicts the request. A person or later proof ends the review.
 * @see docs/promises.md#states
 * @publicApi
 */
export type ReviewCause = (typeof REVIEW_CAUSES)[number];
