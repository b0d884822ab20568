import type {
  DestinationState,
  NotRefundableReason,
  SendMoneyDestination,
} from '@tillkit/payments/types';
import { number, plural } from './word.format.js';

const receives = {
  succeeded: 'Paid',
  failed: 'Not paid',
  reversed: 'Paid, and the money went back',
};

/** The outcomes that a person can choose for an operation in review, by its kind. */
export const reviewOutcomes = {
  payment: receives,
  payment_link: receives,
  refund: { succeeded: 'The money went back', failed: 'The money did not go back' },
  payout: {
    succeeded: 'All destinations were paid',
    partially_succeeded: 'Some destinations were paid',
    failed: 'No destination was paid',
  },
};

/** The page of all reviews, and the form that decides many at once. */
export const reviews = {
  title: 'To review',
  intro:
    'The library cannot decide these from the evidence. While one is open, the same customer is not charged again.',
  none: 'Nothing waits for a decision.',
  columns: { kind: 'What', cause: 'Why', count: 'How many', sum: 'Sum', since: 'The oldest' },
  kinds: {
    payment: 'payments',
    payout: 'payouts',
    refund: 'refunds',
    payment_link: 'payment links',
  },
  decideAll: 'Decide all of these',
  decide: 'Decide many at once',
  before: 'Recorded before',
  narrow: 'Count again',
  choose: 'Choose an outcome and write a reason. Each timeline shows both.',
  bulkOutcomes: { failed: 'No money moved', succeeded: 'The money moved, as the platform shows' },
  lastStep: (count: number) =>
    plural(count, {
      one: 'The decision is final and is recorded with your name.',
      other: `The decision is final. Each of the ${number(count)} is decided by itself, and its timeline has your name.`,
    }),
  save: 'Save these decisions',
  done: (decided: number) =>
    plural(decided, { one: 'One is decided.', other: `${number(decided)} are decided.` }),
  refused: 'These could not be decided so. They are as they were:',
};

/** Words that all actions share. */
export const actions = {
  check: 'Continue',
  lastStep: 'Nothing was done yet. Compare everything above, then press the button. It acts once.',
  leave: 'Leave without doing it',
  /** The library did not do what an operator asked for, and sent nothing. */
  problems: {
    notRefundable: {
      not_found: 'There is no such payment.',
      not_paid: 'Only a payment that succeeded can be refunded.',
      not_received: 'The platform has not reported that this money was received.',
      sent_back: 'This money has gone back already.',
      too_old: 'This money is older than 30 days. The platform sends nothing back that is older.',
      unreadable_amount: 'Nobody knows how much money this is: the amount cannot be read.',
      refunded: 'A refund has sent this money back, or may do so.',
    } satisfies Record<NotRefundableReason, string>,
    notApprovable: {
      not_waiting: 'This payout does not wait for approval, or does not wait any more.',
      same_person: 'You asked for this payout. Another person must approve it.',
      unnamed:
        'This application does not say who you are, so nobody knows whether you are another person than the one who asked. Its developers must set the option "operator" of the dashboard.',
    },
  },
};

/** The actions on an operation of any kind, and the words of the pages of payouts, refunds and links. */
export const operation = {
  /** The lists of each kind, by their paths. */
  lists: {
    payments: 'Payments',
    payouts: 'Payouts',
    refunds: 'Refunds',
    'payment-links': 'Payment links',
  },
  /** Timelines use these words, by kind. */
  outcomesOf: {
    payout: { succeeded: 'All were paid', partially_succeeded: 'Some were paid' },
    refund: { succeeded: 'The money went back' },
  },
};

export const payouts = {
  title: 'Payouts',
  intro: 'Money that you sent, newest first.',
  none: 'No payouts.',
  noMatch: 'No payouts match.',
};

export const payout = {
  to: 'To',
  purpose: 'For',
  results: { open: 'not known yet', paid: 'paid', failed: 'not paid' } satisfies Record<
    DestinationState,
    string
  >,
  destinations: 'Destinations',
  redacted: '(redacted)',
  source: 'Paid from',
  requestedBy: 'Requested by',
  types: {
    mobile_wallet: 'Mobile wallet',
    till: 'Till',
    paybill: 'Paybill',
    bank_account: 'Bank account',
    merchant_wallet: 'Own wallet',
    merchant_bank_account: 'Own bank account',
  } satisfies Record<SendMoneyDestination['type'], string>,
};

export const payoutForm = {
  title: 'New payout',
  destination: (number: number, type: string) => `${number}. ${type}`,
  remove: (number: number) => `Remove destination ${number}`,
  sum: 'Sum',
  labels: {
    nickname: 'Name',
    phoneNumber: 'Phone number',
    network: 'Network',
    amount: 'Amount',
    description: 'What the money is for',
    tillNumber: 'Till number',
    paybillNumber: 'Paybill number',
    paybillAccountNumber: 'Account at the paybill',
    accountName: 'Name of the account',
    accountNumber: 'Account number',
    bankBranchRef: 'Id of the branch at the platform',
    reference: 'Reference at the platform',
  },
  problems: {
    amount: 'Write an amount above 0, with no more decimals than the currency has: 1250.00',
    phoneNumber: 'Write a mobile number, such as +254700000000.',
    network: 'Write the name of the network, such as Safaricom.',
    description: 'Write what the money is for.',
    tillNumber: 'Write the number of a till.',
    paybillNumber: 'Write the paybill number.',
    paybillAccountNumber: 'Write the account at the paybill.',
    accountName: 'Write the name of the account.',
    accountNumber: 'Write the account number.',
    bankBranchRef: 'Write the id of the branch.',
    reference: 'Write the reference.',
    currency: 'Write the code of a currency, such as KES.',
    destinations: 'Add a destination. A payout without one would send all money.',
  },
  several: (count: number) => (count === 1 ? '1 destination' : `${count} destinations`),
  send: (amount: string, to: string) => `Pay ${amount} to ${to}`,
  ask: (amount: string, to: string) => `Ask for approval to pay ${amount} to ${to}`,
};

/** The page on which a second person decides. */
export const approval = {
  title: 'Approve a payout',
};

export const refunds = {
  title: 'Refunds',
  intro:
    'Received money that goes back, newest first. A refund begins on the page of its payment or till transaction.',
  none: 'No refunds.',
  noMatch: 'No refunds match.',
};

export const refund = {};

export const refundForm = {
  title: 'Refund',
  to: 'To',
  why: 'Reason',
};

export const paymentLinks = {
  title: 'Payment links',
  intro: 'Links at which a customer pays once, newest first.',
  none: 'No payment links.',
  noMatch: 'No payment links match.',
};

export const paymentLink = {
  cancelTitle: 'Cancel a payment link',
};

export const linkForm = {
  title: 'New payment link',
  labels: {
    amount: 'Amount',
    currency: 'Currency',
    paymentReference: 'Reference, which the customer sees',
    note: 'Text for the customer',
    tillNumber: 'Till, if it is another one',
  },
};
