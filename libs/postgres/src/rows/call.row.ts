import type { DeadLetter, ListenerCall } from '@tillkit/payments/store';
import { json, number, text, time, type Row } from './row.js';

export function readCall(row: Row): ListenerCall {
  return {
    id: text(row, 'id'),
    account: text(row, 'account'),
    token: text(row, 'token'),
    listener: text(row, 'listener'),
    eventId: text(row, 'event_id'),
    event: text(row, 'event') as ListenerCall['event'],
    stream: text(row, 'stream'),
    payload: json<unknown>(row, 'payload'),
    attempts: number(row, 'attempts'),
  };
}

export function readDeadLetter(row: Row): DeadLetter {
  return {
    id: text(row, 'id'),
    eventId: text(row, 'event_id'),
    event: text(row, 'event') as DeadLetter['event'],
    listener: text(row, 'listener'),
    attempts: number(row, 'attempts'),
    lastError: text(row, 'last_error'),
    diedAt: time(row, 'died_at'),
  };
}
