import type { PauseEntry } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import * as actionWords from './english-actions.words.js';
import { causes, notices, reasons, sources, states } from './english-codes.words.js';
import { errors } from './english-errors.words.js';
import * as figureWords from './english-figures.words.js';
import * as timelineWords from './english-timeline.words.js';
import { number, plural } from './word.format.js';

/** Every text of the dashboard. Texts with values are functions. */
export const WORDS = {
  /** Every page has these words around its content. */
  frame: {
    menu: {
      accounts: 'Accounts',
      overview: 'Overview',
      totals: 'Totals',
      statement: 'Statement',
      payments: 'Payments',
      payouts: 'Payouts',
      refunds: 'Refunds',
      'payment-links': 'Links',
      transactions: 'Till',
      deliveries: 'Deliveries',
      'dead-letters': 'Dead letters',
      anomalies: 'Anomalies',
      reconciliation: 'Reconciliation',
      sending: 'Sending',
    },
    findBy: 'Phone, receipt, order number, amount or name',
  },

  /** Several lists, forms and pages share these words. */
  common: {
    nextPage: 'Next page',
    apply: 'Apply',
    from: 'Originated from',
    to: 'until before',
    payment: 'Payment',
    paymentLink: 'Payment link',
    timeline: 'Timeline',
    details: 'Details',
    reference: 'Reference',
    till: 'Till',
    amount: 'Amount',
    originated: 'Originated',
    phone: 'Phone',
    reason: 'Reason',
    state: 'State',
    none: 'none',
    unknown: 'unknown',
    noneKnown: 'none known',
    showNumber: 'Show the number',
    dataFromPlatform: 'Data from the platform',
  },

  /** All lists share these words: filter, file and saved views. */
  lists: {
    times: { today: 'Today', yesterday: 'Yesterday', week: 'Last 7 days', month: 'Last 30 days' },
    csv: 'Download CSV',
    noneSoFar: 'None so far.',
    lookedTo: (time: Html) => html`Searched back to ${time}. There may be older ones.`,
  },

  /** These stand beside a field that is not valid, or instead of a result. */
  problems: {
    time: 'Write a time as 2026-11-21T14:05 or 2026-11-21.',
    tooLong: (days: number) =>
      plural(days, {
        one: 'The window is longer than one day. Choose a shorter one.',
        other: `The window is longer than ${number(days)} days. Choose a shorter one.`,
      }),
    text: 'This is too long or contains control characters.',
  },

  overview: figureWords.overview,

  figures: figureWords.figures,

  periods: figureWords.periods,

  totals: figureWords.totals,

  statement: figureWords.statement,

  payments: {
    title: 'Payments',
    columns: {
      recorded: 'Recorded',
      orderNumber: 'Order number',
      order: 'Order that it pays',
      passes: 'Sent although these were open',
      outcome: 'Outcome',
    },
    search: {
      phone: 'Phone number',
      phoneHint: '0700 000 000 or +254700000000',
      receipt: 'Beginning or end of the receipt',
      amountFrom: 'Amount from',
      amountTo: 'Amount to',
    },
    found: {
      all: 'Show all',
    },
  },

  payment: {
    orderNumber: 'Order number',
    order: 'Order that it pays',
    passes: 'Sent although these were open',
    id: 'Id',
    platformId: 'Id at the platform',
    notKnownYet: 'not known yet',
    recorded: 'Recorded',
    lastChange: 'Last change',
    status: 'Status',
    metadata: 'Metadata',
    replay: 'Replay the dead letter',
    reason: (reason: string) => `Reason: ${reason}.`,
    cause: (cause: string) => `To review: ${cause}.`,
  },

  waiting: timelineWords.waiting,

  /** The form for a person's decision on an operation in review. */
  review: {
    outcomesOf: actionWords.reviewOutcomes,
    /** This choice closes the review of an operation that was paid, and that some evidence contradicts. */
    closes: 'It was paid, as it is: nothing changes',
    destination: (number: number) => `Destination ${number}`,
  },

  reviews: actionWords.reviews,
  actions: actionWords.actions,
  operation: actionWords.operation,
  payouts: actionWords.payouts,
  payout: actionWords.payout,
  payoutForm: actionWords.payoutForm,
  approval: actionWords.approval,
  refunds: actionWords.refunds,
  refund: actionWords.refund,
  refundForm: actionWords.refundForm,
  paymentLinks: actionWords.paymentLinks,
  paymentLink: actionWords.paymentLink,
  linkForm: actionWords.linkForm,

  timeline: timelineWords.timeline,

  listenerSummary: timelineWords.listenerSummary,

  /** A body or other data, with a button that copies it. */
  payload: {
    copy: 'Copy',
    copied: 'Copied',
    refused: 'Selected: press Ctrl+C',
    json: 'JSON',
    text: 'Text',
    bytes: 'Bytes',
    /** @param size the number of bytes with its unit */
    about: (format: string, size: string) => `${format} · ${size}`,
  },

  /** Money at the tills. */
  transactions: {
    title: 'Till transactions',
    payer: 'Payer',
    wentBack: 'Went back',
    states: {
      matched: 'With a payment',
      unmatched: 'Without a payment',
      unreported: 'Not shown at the till',
      reversed: 'Reversed',
    },
  },

  deliveries: {
    title: 'Deliveries',
    intro:
      'Verified deliveries of the platform, newest first. The library refuses forged deliveries and does not store them.',
    table: 'Deliveries, newest first',
    tabs: { pending: 'Waiting', unrecognised: 'Unrecognised', done: 'Done' },
    columns: {
      received: 'Received',
      kind: 'Kind',
      attempts: 'Attempts',
      duplicates: 'Duplicates',
      lastError: 'Last error',
    },
    search: { from: 'Received from', to: 'until before' },
    none: 'No deliveries.',
    noMatch: 'No deliveries match.',
    webhook: 'webhook',
    callback: 'callback',
    callbackOfPayment: (id: Html) => html`callback of payment ${id}`,
    /** @param resource the name that the platform uses */
    callbackOf: (resource: Html, id: Html) => html`callback of ${resource} ${id}`,
  },

  delivery: {
    title: (id: string) => `Delivery ${id}`,
    webhook: 'Webhook',
    callback: 'Callback',
    received: 'Received',
    id: 'Id',
    kind: 'Kind',
    verification: 'Verification',
    verifiedBy: { signature: 'Signature verified', url: 'Signed URL verified' },
    topic: 'Topic',
    type: 'Type',
    eventId: 'Webhook event',
    error: 'Error of the platform',
    content: 'What it says',
    bytes: (count: number) =>
      plural(count, { one: `${number(count)} byte`, other: `${number(count)} bytes` }),
    attempts: 'Attempts to process',
    duplicates: 'Duplicates',
    lastError: 'Last error',
    /** The history of the delivery's operation has this note. */
    reprocessedNote: (id: string) => `reprocessed delivery ${id}`,
    reprocess: 'Reprocess',
    showNumbers: 'Show phone numbers',
    body: 'Body',
    noBody: 'The body was empty, or retention redacted it.',
    bytesHidden: 'The body is not text. To see its bytes, show the phone numbers.',
  },

  deadLetters: {
    columns: {
      listener: 'Listener',
    },
    missing: {
      title: 'Listeners that no running process has',
    },
  },

  anomalies: {
    search: {
      subjects: {
        operation: 'payment, payout, refund or link',
        transaction: 'till transaction',
        delivery: 'delivery',
        other: 'something else',
      },
    },
  },

  reconciliation: figureWords.reconciliation,

  sending: {
    title: 'Sending',
    sent: 'Payments, payouts and refunds are sent.',
    isPaused: 'Sending is paused.',
    here: (since: Html, operator: Html, reason: Html) =>
      html`Sending is paused for this account since ${since}, by ${operator}: ${reason}`,
    everywhere: (since: Html, operator: Html, reason: Html) =>
      html`Sending is paused for all accounts since ${since}, by ${operator}: ${reason}`,
    onlyApplication: 'Only the application can end this pause.',
    pause: {
      title: 'Pause sending',
      effect:
        'Nothing that moves money is sent from then on, in every process. What was sent is settled as always.',
    },
    resume: {
      title: 'Resume sending',
      effect: 'Payments that were recorded before and can still be sent in time are sent at once.',
    },
    records: (operator: string) => `The history records it with your name (${operator}).`,
    history: 'History',
    neverPaused: 'Sending was never paused.',
    table: 'Pauses and resumptions, newest first',
    columns: { time: 'Time', what: 'What', for: 'For', operator: 'Operator' },
    changes: { paused: 'paused', resumed: 'resumed' } satisfies Record<PauseEntry['what'], string>,
    thisAccount: 'this account',
    allAccounts: 'all accounts',
  },

  /** The words of the start page of a dashboard of all accounts. */
  accounts: {
    title: 'Accounts',
  },

  states,
  sources,
  reasons,
  causes,

  notices,
  errors,

  /** The numbers are already formatted. */
  units: {
    milliseconds: (count: string) => `${count} ms`,
    seconds: (count: string) => `${count} s`,
    minutes: (count: string) => `${count} min`,
    hours: (count: string) => `${count} h`,
    days: (count: string) => `${count} d`,
    /** Names a duration in two units. The larger one comes first. */
    both: (larger: string, smaller: string) => `${larger} ${smaller}`,
    percent: (count: string) => `${count} %`,
    /** The dashboard counts only up to this number. */
    orMore: (count: string) => `${count}+`,
  },
};

export type TimelineWords = typeof WORDS.timeline;
