import { digest } from '../money/json.js';
import type { Via } from './operation.js';

/** The fields of every event. @publicApi */
export interface PaymentsEventBase {
  /** Stable id: a repeated listener call has the same id. Use it to make the listener idempotent. */
  readonly eventId: string;
  /** Name of the account. */
  readonly account: string;
  /** The time when the library learned it, ISO 8601 in UTC. */
  readonly occurredAt: string;
  /** Source of the evidence. */
  readonly via: Via;
  /** Set when a dead letter is called again: the calls for later events of the same operation may have succeeded before this one. */
  readonly late?: true;
}

/** An event that a change writes. */
export interface NewEvent {
  readonly id: string;
  readonly name: string;
  /** Subject of the event. A listener receives the events of one stream in order. */
  readonly stream: string;
  readonly payload: PaymentsEventBase;
  /** The money that the event reports, if nothing else keeps it: currency and minor units. Later reports are compared with it. */
  readonly amount?: string;
  /** The span in which it was committed, as a W3C `traceparent`. Absent when there was none. */
  readonly traceparent?: string;
}

/** The subject of an event, and what distinguishes the event from others of the same name and stream. */
export interface EventSubject {
  account: string;
  /** Operation id, transaction stream, or resource id. */
  stream: string;
  via: Via;
  /** For events that one stream may have several times, this has the cause and the transaction of a review. */
  distinction?: string;
}

/** Builds an event. Its id is a hash of its name and subject, so that the same fact always has the same id. */
type BuildEvent<Events> = <Name extends keyof Events & string>(
  name: Name,
  subject: EventSubject,
  content: Omit<Events[Name], keyof PaymentsEventBase>,
) => NewEvent;

/** Makes the builder for the events of one `*.events.ts`. */
export function eventBuilder<Events>(): BuildEvent<Events> {
  return (name, { account, stream, via, distinction = '' }, content) => {
    const id = digest(32, account, stream, name, distinction);
    const base = { eventId: id, account, occurredAt: new Date().toISOString(), via };
    return { id, name, stream, payload: { ...base, ...content } };
  };
}

/** Date fields of a payload. A store that keeps JSON returns them as text. */
const DATES = ['createdAt', 'updatedAt'] as const;

/** Returns the payload for a listener: its dates are `Date` objects, and it is frozen. */
export function revivePayload(payload: unknown): unknown {
  const copy = payload as { payment?: Record<string, unknown> };
  for (const field of copy.payment ? DATES : []) {
    (copy.payment as Record<string, unknown>)[field] = new Date(copy.payment?.[field] as string);
  }
  return deepFreeze(copy);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
