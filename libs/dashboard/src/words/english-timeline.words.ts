import type { DeliveryKind, DeliveryState } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { number, plural } from './word.format.js';

/** Says why an operation is not finished yet. It stands above the time of the next look. */
export const waiting = {
  created: 'It waits to be sent.',
  requested: 'It was sent, and the platform has not answered yet.',
  pending: 'The platform has accepted it, and no result has come yet.',
  unknown: 'The platform has not said clearly whether it accepted the request.',
  next: 'The library looks at it next:',
};

/** The entries of timelines. */
export const timeline = {
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
};

/** Says in one sentence whether the listeners of the host have completed the newest event. */
export const listenerSummary = {
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
};
