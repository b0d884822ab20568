import type { PauseEntry, ReconciliationReport } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import * as acting from './english.actions.words.js';
import { causes, notices, reasons, sources, states } from './english.codes.words.js';
import { errors } from './english.errors.words.js';
import type { DeliveryKind, DeliveryState } from '@tillkit/payments/store';
import { pluralsOf } from './plural.format.js';

/** British, because dates are `21 Nov 2026, 14:05:09` in it, as in East Africa. */
const LANGUAGE = 'en-GB';

const number = (count: number): string => count.toLocaleString(LANGUAGE);
const plural = pluralsOf(LANGUAGE);

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

const english = {
  /** BCP 47 tag of the language: of the document, and of times and numbers. */
  language: LANGUAGE,

  /** What every page has around its content. */
  frame: {
    application: 'Payments',
    skip: 'Skip to the content',
    pages: 'Pages',
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
    account: 'Account',
    allAccounts: 'All accounts',
    removed: (account: Html) => html`${account} (removed)`,
    inAccount: (account: Html) => html`in account ${account}`,
    find: 'Find',
    findBy: 'Phone, receipt, order number, amount or name',
    footer: (timeZone: string) => `All times are in ${timeZone}. Tillkit.`,
  },

  /** The state of a page that shows changes by itself. */
  live: {
    on: 'Live',
    off: 'Not live, loading again failed',
    /** For screen readers, at the first change. */
    updated: 'The page has changed. From now on it shows changes by itself.',
  },

  /** What several lists, forms and pages have. */
  common: {
    firstPage: 'First page',
    nextPage: 'Next page',
    listPages: 'Pages of the list',
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
    unreadableAmount: 'unreadable',
  },

  /** What all lists have: filter, file and saved views. */
  lists: {
    all: 'All',
    any: 'Any',
    filter: 'More filters',
    chosen: 'Filters',
    remove: 'remove this filter',
    clear: 'Clear all',
    time: 'Time',
    times: { today: 'Today', yesterday: 'Yesterday', week: 'Last 7 days', month: 'Last 30 days' },
    csv: 'Download CSV',
    notRun: 'The search did not run. Correct the marked fields.',
    end: 'There are no more.',
    noneSoFar: 'None so far.',
    lookedTo: (time: Html) => html`Searched back to ${time}. There may be older ones.`,
    goOn: 'Search older',
    views: {
      save: 'Save this view',
      name: 'Name of the view',
      keep: 'Save',
      remove: 'Remove this view',
    },
  },

  /** Beside a field that is not valid, or instead of a result. */
  problems: {
    notRun: 'The search did not run. Correct the marked field.',
    time: 'Write a time as 2026-11-21T14:05 or 2026-11-21.',
    order: 'The end must be later than the beginning.',
    tooLong: (days: number) =>
      plural(days, {
        one: 'The window is longer than one day. Choose a shorter one.',
        other: `The window is longer than ${number(days)} days. Choose a shorter one.`,
      }),
    text: 'This is too long or contains control characters.',
    state: 'There is no such state. Choose one from the list.',
    choice: 'There is no such entry. Choose one from the list.',
    amount: 'This is not an amount. Write it as 1250 or 1250.00.',
    date: 'This is not a date. Write it as 2026-11-21 or 2026-11-21T14:05.',
    phone: 'This is not a phone number. The international form always works: +254700000000.',
    account: 'Names have at most 64 letters, digits, - and _.',
    bothTimes: 'Enter both times, as 2026-11-21T14:05 or 2026-11-21.',
    comparing:
      'Another comparison of this account is running. Only one runs at a time. Try again later.',
    /** @param error a message of the library */
    incomplete: (error: string) =>
      `The list of the platform could not be read completely. A report from part of it would show transactions as missing, so there is none. ${error}`,
  },

  overview: {
    title: 'Overview',
    quiet: 'Nothing needs attention',
    attention: 'Needs attention',
    whyPaused: 'By whom, and why',
    /** What a number counts. The number stands above the text. */
    tiles: {
      reviews: {
        payment: (_count: number) => 'to review',
        payout: (count: number) =>
          plural(count, { one: 'payout to review', other: 'payouts to review' }),
        refund: (count: number) =>
          plural(count, { one: 'refund to review', other: 'refunds to review' }),
        payment_link: (count: number) =>
          plural(count, { one: 'payment link to review', other: 'payment links to review' }),
      },
      approvals: (count: number) =>
        plural(count, { one: 'payout to approve', other: 'payouts to approve' }),
      deadLetters: (count: number) => plural(count, { one: 'dead letter', other: 'dead letters' }),
      missingListeners: (count: number) =>
        plural(count, { one: 'listener not running', other: 'listeners not running' }),
      unmatched: (_count: number) => 'received without a payment in these days',
      unreported: (_count: number) => 'paid in these days, but not shown at the till',
      unrecognised: (_count: number) => 'unrecognised',
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
    cards: {
      volume: 'Volume',
      net: 'Net',
      rate: 'Success rate',
      payments: 'Payments',
      time: 'Time to complete',
    },
    /** @param paid a link with the text `paid` below, as the other two */
    ofThem: (paid: Html, failed: Html, reversed: Html) => html`${paid}, ${failed}, ${reversed}`,
    paid: (count: number) => `${number(count)} paid`,
    failed: (count: number) => `${number(count)} failed`,
    reversed: (count: number) => `${number(count)} reversed`,
    counted: (time: Html) =>
      html`Counted ${time}. Payments count when they were recorded. Volume and net have the money of
      payment links too.`,
    byDay: 'By day and till',
  },

  /** The charts of the overview, and their tables. */
  figures: {
    alternative: (title: string, summary: string) => `${title}. ${summary}`,
    /** The part in the span is for screen readers. */
    numbers: (title: string) => html`Numbers<span class="visually-hidden"> of ${title}</span>`,
    seconds: 'seconds',
    payments: 'Payments',
    results: 'Results',
    hour: 'Hour',
    day: 'Day',
    /** Where there is no number. */
    nothing: '–',
    noneCompleted: 'No payment of this period is completed yet.',
    nonePaid: 'No payment of this period is paid yet.',
    volume: {
      title: 'Volume',
      summary: (amount: string) => `${amount} in all.`,
      column: 'Volume',
    },
    rate: {
      title: 'Success rate',
      summary: (percent: string) => `${percent} of the completed payments are paid.`,
      column: 'Success rate',
      unit: '%',
    },
    reasons: {
      title: 'Why payments failed',
      summary: (reason: string) => `Most often: ${reason}.`,
      none: 'No payment of this period failed.',
      column: 'Reason',
    },
    time: {
      title: 'Time to complete',
      summary: (half: string, nearlyAll: string) =>
        `Half of the payments were completed within ${half}, 99 % within ${nearlyAll}.`,
      within: (percent: string) => `${percent} within`,
    },
    sources: {
      title: 'Source of result',
      summary: (source: string) => `Most often by ${source}.`,
      column: 'Source',
    },
    deliveries: {
      title: 'Deliveries per minute',
      summary: (count: number, most: string) =>
        plural(count, {
          one: `${number(count)} delivery, at most ${most} per minute.`,
          other: `${number(count)} deliveries, at most ${most} per minute.`,
        }),
      column: 'Per minute',
    },
  },

  /** Periods of days, and how they compare. */
  periods: {
    title: 'Period',
    names: {
      today: 'Today',
      yesterday: 'Yesterday',
      '7d': '7 days',
      '30d': '30 days',
      month: 'This month',
    },
    from: 'First day',
    to: 'Last day',
    change: {
      up: (percent: string) => `${percent} more than in the time before`,
      down: (percent: string) => `${percent} less than in the time before`,
      same: 'as before',
    },
  },

  totals: {
    title: 'Totals',
    intro:
      'Payments, and payment links that were paid, count on the day on which they were recorded, money that was paid out on the day on which we learnt of it. Net is the volume without what was reversed and paid out.',
    compared: 'The period and the time before',
    table: 'Totals by day and till, latest first',
    thisPeriod: (first: string, last: string) =>
      first === last ? `On ${first}` : `${first} to ${last}`,
    before: 'The time before',
    change: 'Change',
    noTill: 'no till',
    none: 'Nothing was recorded in this period.',
    columns: {
      day: 'Day',
      payments: 'Payments',
      paid: 'Paid',
      volume: 'Volume',
      failed: 'Failed',
      reversed: 'Reversed',
      reversedVolume: 'Went back',
      refunded: 'Refunded by us',
      paidOut: 'Paid out',
      net: 'Net',
    },
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
    print: 'Print',
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
    table: 'Payments, newest first',
    columns: {
      customer: 'Customer',
      recorded: 'Recorded',
      orderNumber: 'Order number',
      outcome: 'Outcome',
    },
    nameRedacted: '(name redacted)',
    all: 'All payments',
    ofPhone: (phone: Html) => html`Payments of ${phone}`,
    search: {
      phone: 'Phone number',
      phoneHint: '0700 000 000 or +254700000000',
      name: 'Name',
      payer: 'Name of the payer',
      refundOf: 'Reference of the money that goes back',
      receipt: 'Beginning or end of the receipt',
      orderNumber: 'Beginning of the order number',
      platformId: 'Id at the platform',
      amountFrom: 'Amount from',
      amountTo: 'Amount to',
      from: 'Recorded from',
      to: 'until before',
      till: 'Till',
      reason: 'Reason of the failure',
      source: 'Source of result',
    },
    found: {
      title: (search: Html) => html`Found for ${search}`,
      /** The title of the browser's window. */
      titleOf: (search: string) => `Found: ${search}`,
      byReceipt: 'By receipt',
      byAmount: 'By amount',
      byOrderNumber: 'By order number',
      byName: 'By name',
      untied: 'At the till, without a payment',
      all: 'Show all',
    },
    empty: {
      noMatch: 'No payments match.',
      none: 'No payments have been recorded yet.',
    },
    notFound: {
      title: 'Nothing found',
      /** The title of the browser's window. */
      titleOf: (search: string) => `Nothing found: ${search}`,
      text: (search: Html) =>
        html`No payment has ${search} as its id, order number, receipt, amount or name, and it is
        not a valid phone number.`,
      hint: 'Write the beginning of an order number or of a name, the beginning or the end of a receipt (3 characters or more), or a whole amount. Write phone numbers in the international form, +254700000000, or as in the country of the account.',
    },
  },

  payment: {
    title: (orderNumber: string) => `Payment ${orderNumber}`,
    customer: 'Customer',
    email: 'Email',
    orderNumber: 'Order number',
    id: 'Id',
    platformId: 'Id at the platform',
    notKnownYet: 'not known yet',
    unowned:
      'Money of this number and amount came to the till after the request, and belongs to no payment. The customer may have paid directly:',
    recorded: 'Recorded',
    lastChange: 'Last change',
    transaction: 'Transaction',
    status: 'Status',
    system: 'System',
    metadata: 'Metadata',
    replay: 'Replay the dead letter',
    reason: (reason: string) => `Reason: ${reason}.`,
    cause: (cause: string) => `To review: ${cause}.`,
  },

  /** Why an operation is not finished yet, above the time of its next look. */
  waiting: {
    created: 'It waits to be sent.',
    requested: 'It was sent, and the platform has not answered yet.',
    pending: 'The platform has accepted it, and no result has come yet.',
    unknown: 'The platform has not said clearly whether it accepted the request.',
    next: 'The library looks at it next:',
  },

  /** The form for a person's decision on an operation in review. */
  review: {
    title: 'Decide',
    text: (operator: string) =>
      `The library cannot decide from the evidence whether the money moved. Check the statement of the till. Your decision is final. The timeline records it with your name (${operator}).`,
    outcome: 'Outcome',
    outcomesOf: acting.reviewOutcomes,
    paid: 'If some were paid: which',
    destination: (number: number) => `Destination ${number}`,
    reference: 'Reference of the money, if it was paid',
    note: 'Reason for the decision',
    noteHint: 'it is on the statement',
    save: 'Save the decision',
  },

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
    afterEvent: (time: string) => `${time} after the event`,
    nextCall: (time: Html) => html`Next call: ${time}`,
    received: { callback: 'Callback received', webhook: 'Webhook received' } satisfies Record<
      DeliveryKind,
      string
    >,
    /** What became of a delivery. */
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

  /** Whether the listeners of the host have completed the newest event: one sentence. */
  listenerSummary: {
    one: (listener: Html, time: string, event: Html) =>
      html`The shop was told: ${listener} completed ${time} after ${event}.`,
    all: (listeners: number, time: string, event: Html) =>
      html`The shop was told: all ${number(listeners)} listeners completed, the last ${time} after
      ${event}.`,
    notYet: 'The shop was not told yet.',
    not: 'The shop was not told.',
    partly: (completed: number, listeners: number) =>
      `The shop was told in part: ${number(completed)} of ${number(listeners)} listeners completed.`,
    /** What the worst of the listeners does, after one of the three sentences above. */
    why: {
      waiting: (listener: Html) => html`${listener} waits for its first call.`,
      running: (listener: Html) => html`${listener} is running.`,
      failing: (listener: Html, attempts: number) =>
        html`${listener} failed
        ${plural(attempts, { one: 'once', other: `${number(attempts)} times` })}.`,
      dead: (listener: Html) => html`${listener} failed at every attempt and is a dead letter.`,
    },
    noListener: (event: Html) =>
      html`The shop was not told: no listener is registered for ${event}.`,
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
    intro: 'Money that the platform reports at your tills, latest first.',
    table: 'Till transactions, latest first',
    payer: 'Payer',
    none: 'No transactions.',
    noMatch: 'No transactions match.',
    states: {
      matched: 'With a payment',
      unmatched: 'Without a payment',
      unreported: 'Not shown at the till',
      reversed: 'Reversed',
    },
    ofLink: (id: Html) => html`Payment link ${id}`,
  },

  transaction: {
    title: (reference: string) => `Transaction ${reference}`,
    kind: 'Kind',
    card: 'Card',
    cardEnds: (digits: string) => `ends in ${digits}`,
    settled: 'Settled',
    yes: 'yes',
    no: 'no',
    system: 'System',
    firstSeen: 'First seen',
    webhookEvents: 'Webhook events',
    reversal: 'Data of the reversal',
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
    /** @param resource the platform's name of it */
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
    /** In the history of the operation that it is about. */
    reprocessedNote: (id: string) => `reprocessed delivery ${id}`,
    reprocess: 'Reprocess',
    showNumbers: 'Show phone numbers',
    body: 'Body',
    noBody: 'The body was empty, or retention redacted it.',
    bytesHidden: 'The body is not text. To see its bytes, show the phone numbers.',
  },

  deadLetters: {
    title: 'Dead letters',
    intro:
      'The dispatcher does not repeat a listener call that failed at every attempt. Correct the listener, then replay the call. The event keeps its id.',
    table: 'Dead letters, oldest first',
    columns: {
      about: 'About',
      listener: 'Listener',
      since: 'Since',
      attempts: 'Attempts',
      lastError: 'Last error',
      action: 'Action',
    },
    replayAll: 'Replay all',
    search: { from: 'Last attempt from', to: 'until before' },
    /** In the history of what the letter is about. */
    replayNote: (listener: string, event: string) => `replayed ${listener} for ${event}`,
    /** The part in the span is for screen readers. */
    replay: (listener: string, event: string) =>
      html`Replay<span class="visually-hidden">: ${listener}, for ${event}</span>`,
    none: 'No dead letters. Every listener call has completed or will be repeated.',
    noMatch: 'No dead letters match.',
    missing: {
      title: 'Listeners that no running process has',
      intro: (method: Html) =>
        html`Their events wait. Start a process that has the listener. If you removed the listener
        for good, call ${method} with its name.`,
      events: 'Events',
      waiting: 'Waiting',
    },
  },

  anomalies: {
    title: 'Anomalies',
    /** @param deliveries a link with the text `unrecognised` below */
    intro: (deliveries: Html) =>
      html`What the platform sent that is unknown, contradictory or suspicious. It changed no
      payment. Of each kind the last twenty are kept. See also the ${deliveries}. You can reprocess
      them after an upgrade.`,
    unrecognised: 'unrecognised deliveries',
    table: 'Anomalies, latest first',
    columns: {
      anomaly: 'Anomaly',
      count: 'Of this kind',
      seen: 'Seen',
      example: 'Example',
    },
    search: {
      about: 'Example',
      subjects: {
        operation: 'payment, payout, refund or link',
        transaction: 'till transaction',
        delivery: 'delivery',
        other: 'something else',
      },
      from: 'Seen from',
      to: 'until before',
    },
    delivery: (id: Html) => html`Delivery ${id}`,
    noMatch: 'No anomalies match.',
    none: 'No anomalies. Everything that the platform sent was understood.',
  },

  reconciliation: {
    title: 'Reconciliation',
    intro: (days: number) =>
      `Compares our transactions with those that the platform lists, for at most ${number(days)} days. It changes nothing. Sweeps find what is missing here. A long window takes minutes, because each day needs its own requests.`,
    compare: 'Compare with the platform',
    download: 'Download as CSV',
    lists: reportLists,
    heading: (title: string, count: number) => `${title} (${number(count)})`,
    columns: { here: 'Here', platform: 'Platform', difference: 'Difference' },
    none: 'None.',
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

  /** The start page of a dashboard of all accounts. */
  accounts: {
    title: 'Accounts',
    intro:
      'Every account that was ever in use, by name. Open and in review count payments, payouts, refunds and payment links.',
    allPaused: 'Sending is paused for all accounts.',
    table: 'Accounts by name',
    columns: {
      account: 'Account',
      inReview: 'In review',
      deadLetters: 'Dead letters',
      unrecognised: 'Unrecognised',
      open: 'Open',
    },
    search: 'Accounts',
    beginsWith: 'Account whose name begins with',
    find: 'Find the account',
    end: 'There are no more accounts.',
    noneVisible: 'No account that you may see was used yet.',
    none: 'No account was used yet.',
    noMatch: (beginning: string) =>
      `No account that was used has a name that begins with ${beginning}.`,
    open: (account: string) => `Open the account ${account}`,
  },

  states,
  sources,
  reasons,
  causes,

  phone: {
    none: 'none kept',
    /** For screen readers. */
    endsIn: (digits: string) => `phone number ending in ${digits}`,
  },

  notices,
  errors,

  /** The numbers come as text in the format of the language. */
  units: {
    milliseconds: (count: string) => `${count} ms`,
    seconds: (count: string) => `${count} s`,
    minutes: (count: string) => `${count} min`,
    hours: (count: string) => `${count} h`,
    days: (count: string) => `${count} d`,
    /** A duration in two units, the larger one first. */
    both: (larger: string, smaller: string) => `${larger} ${smaller}`,
    percent: (count: string) => `${count} %`,
    /** A number up to which the dashboard counts. */
    orMore: (count: string) => `${count}+`,
  },
};

type DeepReadonly<T> = T extends (...values: never[]) => unknown
  ? T
  : { readonly [Name in keyof T]: DeepReadonly<T[Name]> };

/**
 * Every text of the dashboard, in one language. Texts with values are functions. Those that take and return `Html` are written with the tag
 * `html`, so that the parts can stand in another order. A minor version may add texts: begin each part with those of `ENGLISH`.
 * @publicApi
 */
export type Words = DeepReadonly<typeof english>;

/**
 * The texts of the dashboard in English: the default, and the beginning of every translation.
 * @publicApi
 */
export const ENGLISH: Words = english;
