import type { ReconciliationReport } from '@tillkit/payments';
import { html, type Html } from '@tillkit/pages';
import { number, plural } from './word.format.js';

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

export const overview = {
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
    openPayments: (count: number) => plural(count, { one: 'open payment', other: 'open payments' }),
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
};

/** The charts of the overview, and their tables. */
export const figures = {
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
};

/** Periods of days, and their comparison. */
export const periods = {
  title: 'Period',
  names: {
    today: 'Today',
    yesterday: 'Yesterday',
    '7d': '7 days',
    '30d': '30 days',
    month: 'This month',
  },
};

export const totals = {
  title: 'Totals',
};

/** The daily statement of the tills. */
export const statement = {
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
};

export const reconciliation = {
  title: 'Reconciliation',
  intro: (days: number) =>
    `Compares our transactions with those that the platform lists, for at most ${number(days)} days. It changes nothing. Sweeps find what is missing here. A long window takes minutes, because each day needs its own requests.`,
  lists: reportLists,
  heading: (title: string, count: number) => `${title} (${number(count)})`,
  first: (count: number) => `Only the first ${number(count)} are shown. The CSV file has all.`,
};
