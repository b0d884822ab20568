import type { FailureReason } from '@tillkit/payments/types';
import type { PaymentState, PayoutState, ReviewCause, Via } from '@tillkit/payments/types';
import type { DeliveryState } from '@tillkit/payments/internal/store';

export const states = {
  created: 'created',
  requested: 'requested',
  pending: 'pending',
  unknown: 'unknown',
  succeeded: 'succeeded',
  partially_succeeded: 'partially succeeded',
  failed: 'failed',
  needs_review: 'needs review',
  reversed: 'reversed',
  done: 'done',
  unrecognised: 'unrecognised',
  paused: 'paused',
  removed: 'removed',
} satisfies Record<PaymentState | PayoutState | DeliveryState | 'paused' | 'removed', string>;

export const sources = {
  request: 'request',
  callback: 'callback',
  webhook: 'webhook',
  status: 'status read',
  sweep: 'sweep',
  review: 'review',
} satisfies Record<Via, string>;

export const reasons = {
  cancelled: 'cancelled on the phone',
  timeout: 'not answered in time',
  insufficient_funds: 'insufficient funds',
  wrong_pin: 'wrong PIN',
  limit: 'over a limit',
  busy: 'the phone was busy',
  rejected: 'refused by the platform',
  not_sent: 'not sent in time',
  declined: 'not approved',
  expired: 'not paid in time',
  unknown: 'reason not known',
} satisfies Record<FailureReason, string>;

export const causes = {
  no_evidence: 'no evidence from the platform in time',
  no_transaction: 'success without a transaction',
  ambiguous: 'several transactions or payments match',
  amount_mismatch: 'the amount paid is different',
  currency_mismatch: 'the currency paid is different',
  till_mismatch: 'the money went to another till',
  unreadable_amount: 'the amount paid is unreadable',
  success_with_errors: 'success, with errors',
  failed_with_transaction: 'failed, with a transaction',
  paid_after_failure: 'money arrived after the failure',
  second_transaction: 'a second transaction was seen',
  transaction_of_another_payment: 'the transaction belongs to another payment',
  unmatched_results: 'the results fit no destination',
  reports_differ: 'two reports of this money differ',
  other_amount_reversed: 'another amount than the money went back',
  reversed: 'reversed before the success was known',
} satisfies Record<ReviewCause, string>;

/** The message after a change, by the code in the address. */
export const notices = {
  'delivery-replayed':
    'The library is reprocessing the delivery. Reload this page to see the result.',
  'dead-letter-replayed': 'The dispatcher will call the listener again.',
  'dead-letters-replayed':
    'All dead letters are queued. The dispatcher will call their listeners again.',
  'no-dead-letter': 'This dead letter no longer exists. Somebody else may have replayed it.',
  paused: 'Sending is paused in every process.',
  'paused-already': 'Sending was paused already. Nothing was changed.',
  resumed: 'Sending is resumed in every process.',
  'resumed-already': 'Sending was not paused any more. Nothing was changed.',
  resolved: 'Your decision is recorded. The library will emit its event.',
  'reviews-resolved': 'Your decisions are recorded. The library will emit their events.',
  'refund-recorded': 'The refund is recorded once. Its state is below.',
  'payout-recorded': 'The payout is recorded once. Its state is below.',
  'payout-awaits':
    'The payout is recorded. Nothing was sent: it waits for the approval of a second person.',
  'payout-approved': 'The payout is approved. Its state is below.',
  'payout-declined': 'The payout is declined. Nothing was sent.',
  'link-recorded': 'The payment link is recorded once. Its state is below.',
  'link-cancelled': 'The link is cancelled. Nobody can pay at it any more.',
  'link-not-cancelled':
    'The link was not cancelled: a customer has paid, or the platform still shows it as open. Its state is below.',
  noted: 'Your note is in the timeline.',
  'status-no-id':
    'The platform has not given an id yet, so there is nothing to read. Nothing was asked.',
  'status-same': 'The platform was asked. It says nothing new.',
  'status-changed': 'The platform was asked. The state is a new one.',
  'status-asked':
    'The platform will be asked as soon as it is the turn of this request. Reload this page to see the result.',
  'status-unanswered':
    'The platform gave no usable answer. Nothing was changed. The library asks again by itself.',
};
