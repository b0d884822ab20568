import type {
  DestinationState,
  NotRefundableReason,
  SendMoneyDestination,
} from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';

const receives = {
  succeeded: 'Paid',
  failed: 'Not paid',
  reversed: 'Paid, and the money went back',
};

/** What a person can decide about an operation in review, by its kind. */
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

/** What all actions have. */
export const actions = {
  /** @param option the name of the option */
  readOnly: (option: Html) =>
    html`These pages are read-only. Operators can act here when the dashboard has the option
    ${option}.`,
  check: 'Continue',
  lastStep: 'Nothing was done yet. Compare everything above, then press the button. It acts once.',
  leave: 'Leave without doing it',
  show: 'Show it',
  /** Why the library did not do what an operator asked for. Nothing was sent. */
  problems: {
    outcomeUnknown:
      'The store did not answer in time, so nobody knows yet whether this was recorded. Do not begin again. Send this form once more: it acts once.',
    notRefundable: {
      not_found: 'There is no such payment.',
      not_paid: 'Only a payment that succeeded can be refunded.',
      not_received: 'The platform has not reported that this money was received.',
      sent_back: 'This money has gone back already.',
      too_old: 'This money is older than 30 days. The platform sends nothing back that is older.',
      unreadable_amount: 'Nobody knows how much money this is: the amount cannot be read.',
      refunded: 'A refund has sent this money back, or may do so.',
    } satisfies Record<NotRefundableReason, string>,
    payoutInFlight:
      'Another payout sends the same amount to one of these destinations. It has no outcome yet, or it was paid in the last 10 minutes. Nothing was sent.',
    /** @param error a message of the library */
    limit: (error: Html) => html`This payout is above a limit. ${error}`,
    notApprovable: {
      not_waiting: 'This payout does not wait for approval, or does not wait any more.',
      same_person: 'You asked for this payout. Another person must approve it.',
      unnamed:
        'This application does not say who you are, so nobody knows whether you are another person than the one who asked. Its developers must set the option "operator" of the dashboard.',
    },
    notCancellable:
      'This link cannot be cancelled: nobody can pay it any more, or the platform has not given its id yet.',
    paused: (operator: Html, reason: Html) =>
      html`Sending is paused by ${operator}: ${reason}. Nothing was sent. Try again when it is
      resumed.`,
    removed: 'This account was removed, so it takes no new requests. Nothing was sent.',
    usedForm:
      'This form was used before, with other values. What it asked for then was done once; nothing more was sent. Open a new form.',
    /** @param error a message of the library */
    platform: (error: Html) => html`The platform gave no usable answer. ${error}`,
  },
};

/** What a person can do with an operation of any kind, and the pages of payouts, refunds and links. */
export const operation = {
  readStatus: 'Read its status now',
  /** In the history of the operation. */
  readNote: 'asked the platform for the status',
  note: 'Note for the timeline',
  writeNote: 'Write the note',
  requestedBy: (operator: string) => `requested by ${operator}`,
  accepted: 'Accepted by the platform',
  /** In timelines, by kind. */
  outcomesOf: {
    payout: { succeeded: 'All were paid', partially_succeeded: 'Some were paid' },
    refund: { succeeded: 'The money went back' },
  },
};

export const payouts = {
  title: 'Payouts',
  intro: 'Money that you sent, newest first.',
  table: 'Payouts, newest first',
  none: 'No payouts.',
  noMatch: 'No payouts match.',
  make: 'New payout',
};

export const payout = {
  title: (id: string) => `Payout ${id}`,
  to: 'To',
  purpose: 'For',
  number: 'Number',
  result: 'Result',
  results: { open: 'not known yet', paid: 'paid', failed: 'not paid' } satisfies Record<
    DestinationState,
    string
  >,
  destinations: 'Destinations',
  others: (count: number) => `and ${count} more`,
  redacted: '(redacted)',
  source: 'Paid from',
  requestedBy: 'Requested by',
  approvedBy: 'Approved by',
  waits: 'It waits for the approval of a second person. Nothing was sent yet.',
  /** In a list. */
  waitsFor: 'waits for approval',
  approve: 'Approve or decline',
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
  addType: 'Kind of the next destination',
  add: 'Add a destination',
  remove: (number: number) => `Remove destination ${number}`,
  currency: 'Currency',
  sourceHint: 'empty: the choice of the platform',
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
  asksSecond:
    'This amount needs the approval of a second person. The button sends nothing: it records the payout, and another person sends it.',
  several: (count: number) => (count === 1 ? '1 destination' : `${count} destinations`),
  send: (amount: string, to: string) => `Pay ${amount} to ${to}`,
  ask: (amount: string, to: string) => `Ask for approval to pay ${amount} to ${to}`,
};

/** The page on which a second person decides. */
export const approval = {
  title: 'Approve a payout',
  approve: (amount: string, to: string) => `Approve and pay ${amount} to ${to}`,
  decline: 'Decline, and pay nobody',
  why: 'Why it is declined',
};

export const refunds = {
  title: 'Refunds',
  intro:
    'Received money that goes back, newest first. A refund begins on the page of its payment or till transaction.',
  table: 'Refunds, newest first',
  none: 'No refunds.',
  noMatch: 'No refunds match.',
};

export const refund = {
  title: (id: string) => `Refund ${id}`,
  money: 'Money that goes back',
  ownReference: 'Reference of the refund',
};

export const refundForm = {
  title: 'Refund',
  link: 'Refund',
  to: 'To',
  why: 'Reason',
  whyHint: 'the platform gets it',
  send: (amount: string, payer: string) => `Refund ${amount} to ${payer}`,
};

export const paymentLinks = {
  title: 'Payment links',
  intro: 'Links at which a customer pays once, newest first.',
  table: 'Payment links, newest first',
  none: 'No payment links.',
  noMatch: 'No payment links match.',
  make: 'New payment link',
};

export const paymentLink = {
  title: (id: string) => `Payment link ${id}`,
  url: 'Share this address',
  noUrl:
    'The platform has not shown the address of the link yet. Read its status, or reload this page.',
  expires: 'Can be paid until',
  cancelLink: 'Cancel the link',
  cancelTitle: 'Cancel a payment link',
  cancelEffect: 'Nobody can pay at the link afterwards. A customer who pays first has paid.',
  cancel: (amount: string) => `Cancel the link for ${amount}`,
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
  make: (amount: string) => `Make the link for ${amount}`,
};
