import type {
  DeadLetter,
  EventSummary,
  ListenerCall,
  StoredEvent,
} from '@tillkit/payments/internal/store';
import { unpackPayload } from './packed-payload.js';
import { boolean, json, number, optional, text, time, type Row } from '../row.js';

export function readCall(row: Row): ListenerCall {
  const payload = unpackPayload(json(row, 'payload'), {
    id: text(row, 'event_id'),
    account: text(row, 'account'),
  });
  return {
    id: text(row, 'id'),
    account: text(row, 'account'),
    token: text(row, 'token'),
    listener: text(row, 'listener'),
    eventId: text(row, 'event_id'),
    event: text(row, 'event') as ListenerCall['event'],
    stream: text(row, 'stream'),
    payload: boolean(row, 'is_late') ? { ...payload, late: true } : payload,
    attempts: number(row, 'attempts'),
    ...optional('traceparent', row),
  };
}

export function readDeadLetter(row: Row): DeadLetter {
  return {
    id: text(row, 'id'),
    eventId: text(row, 'event_id'),
    event: text(row, 'event') as DeadLetter['event'],
    stream: text(row, 'stream'),
    at: time(row, 'at'),
    listener: text(row, 'listener'),
    attempts: number(row, 'attempts'),
    lastError: text(row, 'last_error'),
    diedAt: time(row, 'ended_at'),
  };
}

export function readEventSummary(row: Row): EventSummary {
  return {
    id: text(row, 'id'),
    name: text(row, 'name') as StoredEvent['name'],
    stream: text(row, 'stream'),
    at: time(row, 'at'),
    via: text(row, 'via') as StoredEvent['via'],
  };
}

export function readEvent(row: Row): StoredEvent {
  return { ...readEventSummary(row), calls: readCalls(row) };
}

type StoredCall = StoredEvent['calls'][number];

/** A call in JSON. Times are epoch milliseconds. */
type WrittenCall = Omit<StoredCall, 'endedAt' | 'dueAt'> &
  Record<'endedAt' | 'dueAt', number | null>;

function readCalls(row: Row): StoredCall[] {
  const calls = json<WrittenCall[]>(row, 'calls');
  return calls.map((call) => ({
    ...call,
    endedAt: call.endedAt === null ? null : new Date(call.endedAt),
    dueAt: call.dueAt === null ? null : new Date(call.dueAt),
  }));
}
