import type { ReconciliationReport } from '@tillkit/payments';
import type { PauseEntry } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import * as acting from './english-actions.words.js';
import { causes, notices, reasons, sources, states } from './english-codes.words.js';
import { errors } from './english-errors.words.js';
import { number, plural } from './word.format.js';
import type { DeliveryKind, DeliveryState } from '@tillkit/payments/internal/store';

type ReportList = Exclude<keyof ReconciliationReport, 'from' | 'to'>;

const reportLists = {
  missingHere: {
    title: 'Missing here',
    count: (count: Html) => html`${count} missing here`,
    description: 'The platform lists the transaction, we do not have it. A sweep will find it.',
  },
  missingThere: {
    title: 'Missing there',
    count: (count: Html) => html`${count} missing there`,
    description: 'We have the transaction, the platform does not list it.',
  },
  different: {
    title: 'Different',
    count: (count: Html) => html`${count} different`,
    description: 'Both have the transaction, with different values.',
  },
  matched: {
    title: 'Matched',
    count: (count: Html) => html`${count} matched`,
    description: 'Both have the transaction, with the same values.',
  },
} satisfies Record<ReportList, { title: string; description: string; count: unknown }>;

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

  overview: {
    title: 'Overview',
    /** Each text names a number, which stands above it. */
    tiles: {
      reviews: 'to review',
      reviewsSince: (age: string) => `to review, the oldest of ${age} ago`,
      passed: (count: number) =>
        plural(count, {
          one: 'was sent although another was open, in 24 h',
          other: 'were sent although another was open, in 24 h',
        }),
      approvals: (count: number) =>
        plural(count, { one: 'payout to approve', other: 'payouts to approve' }),
      deadLetters: (count: number) => plural(count, { one: 'dead letter', other: 'dead letters' }),
      missingListeners: (count: number) =>
        plural(count, { one: 'listener not running', other: 'listeners not running' }),
      calls: (count: number, age: string) =>
        plural(count, {
          one: `listener call waiting, ${age}`,
          other: `listener calls waiting, ${age}`,
        }),
      openPayments: (count: number) =>
        plural(count, { one: 'open payment', other: 'open payments' }),
      deliveries: (count: number) =>
        plural(count, { one: 'delivery waiting', other: 'deliveries waiting' }),
      deliveriesSince: (count: number, age: string) =>
        plural(count, {
          one: `delivery waiting, ${age}`,
          other: `deliveries waiting, ${age}`,
        }),
    },
    paid: (count: number) => `${number(count)} paid`,
    failed: (count: number) => `${number(count)} failed`,
    reversed: (count: number) => `${number(count)} reversed`,
    counted: (time: Html) =>
      html`Counted ${time}. Payments count when they were recorded. Volume and net have the money of
      payment links too.`,
  },

  /** The charts of the overview, and their tables. */
  figures: {
    /** This stands where there is no number. */
    nothing: '–',
    noneCompleted: 'No payment of this period is completed yet.',
    deliveries: {
      summary: (count: number, most: string) =>
        plural(count, {
          one: `${number(count)} delivery, at most ${most} per minute.`,
          other: `${number(count)} deliveries, at most ${most} per minute.`,
        }),
    },
  },

  /** Periods of days, and their comparison. */
  periods: {
    title: 'Period',
    names: {
      today: 'Today',
      yesterday: 'Yesterday',
      '7d': '7 days',
      '30d': '30 days',
      month: 'This month',
    },
  },

  totals: {
    title: 'Totals',
  },

  /** The daily statement of the tills. */
  statement: {
    title: 'Statement',
    titleOf: (day: string) => `Statement of ${day}`,
    intro:
      'Money at the tills by the time at which the platform says that it moved, and money that was paid out by the time at which we learnt of it.',
    day: 'Day',
    previous: 'Day before',
    next: 'Day after',
    allTills: 'All tills',
    compare: 'Compare with the platform',
    notOver: 'This day is not over yet.',
    table: (currency: string) => `Statement in ${currency}`,
    columns: { entry: 'Entry', count: 'Count', amount: 'Amount' },
    rows: {
      opening: 'Opening',
      received: 'In',
      reversed: 'Reversed',
      paidOut: 'Paid out',
      closing: 'Closing',
      unmatched: 'Of what came in, unmatched',
    },
    opening:
      'The opening is the sum of all that we know of before: it is the balance of the till if the till was empty when Tillkit began.',
    none: 'No money moved on this day, and none before.',
    tied: {
      title: 'The list of the platform',
      here: 'Here',
      platform: 'Platform',
      difference: 'Difference',
      equal: 'Every transaction of the day is the same here and at the platform.',
      different: (count: number) =>
        plural(count, {
          one: 'One transaction differs.',
          other: `${number(count)} transactions differ.`,
        }),
      onlyIn: 'The platform lists money at tills. It lists no money that was paid out.',
    },
    transactions: 'Transactions of the day',
  },

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

  /** Says why an operation is not finished yet. It stands above the time of the next look. */
  waiting: {
    created: 'It waits to be sent.',
    requested: 'It was sent, and the platform has not answered yet.',
    pending: 'The platform has accepted it, and no result has come yet.',
    unknown: 'The platform has not said clearly whether it accepted the request.',
    next: 'The library looks at it next:',
  },

  /** The form for a person's decision on an operation in review. */
  review: {
    outcomesOf: acting.reviewOutcomes,
    /** This choice closes the review of an operation that was paid, and that some evidence contradicts. */
    closes: 'It was paid, as it is: nothing changes',
    destination: (number: number) => `Destination ${number}`,
  },

  reviews: acting.reviews,
  actions: acting.actions,
  operation: acting.operation,
  payouts: acting.payouts,
  payout: acting.payout,
  payoutForm: acting.payoutForm,
  approval: acting.approval,
  refunds: acting.refunds,
  refund: acting.refund,
  refundForm: acting.refundForm,
  paymentLinks: acting.paymentLinks,
  paymentLink: acting.paymentLink,
  linkForm: acting.linkForm,

  /** The entries of timelines. */
  timeline: {
    recorded: 'Recorded',
    bySource: (title: Html, source: Html) => html`${title} <span class="soft">by</span> ${source}`,
    afterRecording: (time: string) => `${time} after recording`,
    sending: 'Sending to the platform',
    accepted: 'Accepted by the platform: the phone shows the prompt',
    found: 'Found at the platform',
    noResponse: 'No usable response: the request may have arrived',
    outcomes: {
      succeeded: 'Paid',
      failed: 'Failed',
      needs_review: 'Needs review',
      reversed: 'Reversed: the money went back',
    },
    notSent: 'Failed: not sent',
    anotherState: 'Another state',
    change: (before: string, after: string) => `${before} to ${after}`,
    attemptFailed: 'Attempt to send failed',
    note: 'Note',
    event: (name: Html) => html`Event ${name}`,
    noListener: 'no listener is registered for it',
    /** The time from an event to the end of a listener that completed at its first call. */
    atOnce: 'less than a minute',
    afterEvent: (time: string) => `${time} after the event`,
    nextCall: (time: Html) => html`Next call: ${time}`,
    received: { callback: 'Callback received', webhook: 'Webhook received' } satisfies Record<
      DeliveryKind,
      string
    >,
    /** The outcome of a delivery. */
    processing: {
      doneAtOnce: 'Processed at the first attempt',
      done: (attempts: number) =>
        plural(attempts, {
          one: 'Processed after 1 attempt',
          other: `Processed after ${number(attempts)} attempts`,
        }),
      pending: (attempts: number) =>
        plural(attempts, {
          one: 'Waits to be processed, 1 attempt so far',
          other: `Waits to be processed, ${number(attempts)} attempts so far`,
        }),
      unrecognised: (attempts: number) =>
        plural(attempts, {
          one: 'Not understood, after 1 attempt',
          other: `Not understood, after ${number(attempts)} attempts`,
        }),
    } satisfies Record<DeliveryState, unknown> & { doneAtOnce: string },
    /** @param change what `change` above returns */
    ledTo: (change: string) => `Led to: ${change}`,
    duplicates: (count: number) =>
      plural(count, { one: '1 duplicate', other: `${number(count)} duplicates` }),
    completed: (listener: Html) => html`${listener} completed`,
    becameDead: (listener: Html) => html`${listener} became a dead letter`,
    notCompleted: (listener: Html) => html`${listener} has not completed yet`,
    attempts: (count: number) =>
      plural(count, { one: 'at the first attempt', other: `after ${number(count)} attempts` }),
    /** @param error a message of the listener */
    attemptsWithError: (count: number, error: string) =>
      plural(count, {
        one: `at the first attempt: ${error}`,
        other: `after ${number(count)} attempts: ${error}`,
      }),
    notCalled: 'not called yet',
    running: (attempt: number) => `attempt ${number(attempt)} is running`,
    /** @param error a message of the listener */
    failing: (count: number, error: string) =>
      plural(count, {
        one: `1 attempt so far, last error: ${error}`,
        other: `${number(count)} attempts so far, last error: ${error}`,
      }),
    reversedSince: 'reversed since',
  },

  /** Says in one sentence whether the listeners of the host have completed the newest event. */
  listenerSummary: {
    all: (listeners: number, time: string, event: Html) =>
      html`All ${number(listeners)} listeners completed, the last ${time} after ${event}.`,
    partly: (completed: number, listeners: number) =>
      `${number(completed)} of ${number(listeners)} listeners completed.`,
    /** Describes the worst of the listeners. It stands after one of the three sentences above. */
    why: {
      waiting: (listener: Html) => html`${listener} waits for its first call.`,
      running: (listener: Html) => html`${listener} is running.`,
      failing: (listener: Html, attempts: number) =>
        html`${listener} failed
        ${plural(attempts, { one: 'once', other: `${number(attempts)} times` })}.`,
      dead: (listener: Html) => html`${listener} failed at every attempt and is a dead letter.`,
    },
  },

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

  reconciliation: {
    title: 'Reconciliation',
    intro: (days: number) =>
      `Compares our transactions with those that the platform lists, for at most ${number(days)} days. It changes nothing. Sweeps find what is missing here. A long window takes minutes, because each day needs its own requests.`,
    lists: reportLists,
    heading: (title: string, count: number) => `${title} (${number(count)})`,
    first: (count: number) => `Only the first ${number(count)} are shown. The CSV file has all.`,
  },

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
