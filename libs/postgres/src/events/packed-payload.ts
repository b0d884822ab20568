import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '@tillkit/payments/internal/store';
import {
  packTransaction,
  unpackTransaction,
  type PackedTransaction,
} from '../transactions/packed-transaction.js';

/** What the row of an event says beside the payload. */
interface EventKey {
  id: string;
  account: string;
}

/** A payload, as far as packing reads it. */
interface Payload {
  eventId?: string;
  account?: string;
  transaction?: Transaction | null;
}

interface PackedPayload {
  transaction?: PackedTransaction | null;
  /** The field whose value has the same transaction. */
  shown?: string;
}

/** A payload as it is stored: without what its row says, and with its transaction once. */
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

/** The name of the field, such as the payment, that has the same transaction. */
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
