import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '@tillkit/payments/internal/store';
import {
  packTransaction,
  unpackTransaction,
  type PackedTransaction,
} from '../transactions/packed-transaction.js';

/** The row of an event has these fields too, so the stored payload can omit them. */
interface EventKey {
  id: string;
  account: string;
}

/** The fields of a payload that packing reads. */
interface Payload {
  eventId?: string;
  account?: string;
  transaction?: Transaction | null;
}

interface PackedPayload {
  transaction?: PackedTransaction | null;
  /** The name of the field whose value contains the same transaction. */
  shown?: string;
}

/** Returns a payload as it is stored: without the fields of its row, and with its transaction only once. */
export function packPayload(payload: object, { id, account }: EventKey): object {
  const { eventId, account: own, transaction, ...rest } = payload as Payload;
  const shown = transaction ? ownerOf(rest, transaction) : undefined;
  return {
    ...(shown === undefined ? rest : without(rest, shown)),
    ...(eventId !== id && { eventId }),
    ...(own !== account && { account: own }),
    ...(transaction !== undefined && { transaction: transaction && packTransaction(transaction) }),
    ...(shown !== undefined && { shown }),
  };
}

export function unpackPayload(packed: object, { id, account }: EventKey): object {
  const { transaction: stored, shown, ...rest } = packed as PackedPayload;
  const transaction = stored && unpackTransaction(stored);
  const owner = shown === undefined ? {} : { [shown]: { ...part(rest, shown), transaction } };
  return {
    eventId: id,
    account,
    ...rest,
    ...owner,
    ...(stored !== undefined && { transaction }),
  };
}

/** Returns the name of the field, such as the payment, that contains the same transaction. */
function ownerOf(rest: object, transaction: Transaction): string | undefined {
  return Object.keys(rest).find((name) => {
    const shown = part(rest, name)?.transaction;
    return shown === transaction || isDeepStrictEqual(shown, transaction);
  });
}

function without(rest: object, name: string): object {
  const { transaction: _same, ...owner } = part(rest, name) as Payload;
  return { ...rest, [name]: owner };
}

function part(payload: object, name: string): Payload | undefined {
  const value = (payload as Record<string, unknown>)[name];
  return typeof value === 'object' && value !== null ? value : undefined;
}
