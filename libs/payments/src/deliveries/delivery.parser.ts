import { readEnvelope, type ResourceEnvelope } from '../resources/resource-envelope.js';
import {
  movementOf,
  readPayer,
  readTransaction,
  type Transaction,
} from '../resources/transaction.resource.js';
import { wireObject, wireText, type WireObject } from '../resources/wire-value.js';
import { parseJson } from '../values/json.js';
import { readAmountValue } from '../values/money.js';
import { readDarajaTimestamp, readTimestamp } from '../values/timestamp.js';

/** The content of a delivery, as far as we understand it. */
export type Message =
  | {
      kind: 'transaction';
      topic: string;
      eventId: string | null;
      reversal: boolean;
      transaction: Transaction;
      at: Date | null;
    }
  /** Its topic says that money moved, but its status does not. A topic is no proof. */
  | { kind: 'unproven'; topic: string; status: string | null; reference: string | null }
  | { kind: 'result'; resource: ResourceEnvelope; at: Date | null }
  /** Its topic, type or format is unknown. */
  | { kind: 'unrecognised'; topic: string | null };

/** Topics of transactions at a till. */
const TRANSACTION_TOPIC = /_transaction_(received|reversed|voided)$/;

/** Transaction types of received money in the Daraja format, which has no topic. */
const DARAJA_TYPES = new Set([
  'Buygoods',
  'Buy Goods',
  'Pay Bill',
  'Business Payment',
  'Organization To Organization Transfer',
]);

/** A byte order mark may come before the JSON. The signature covers it, but it is no part of the JSON. */
const BOM = '\uFEFF';

/** Parses the raw bytes of a verified delivery. Never throws: an unknown delivery is `unrecognised`. */
export function parseDelivery(body: Buffer): Message {
  const text = body.toString('utf8');
  let parsed: WireObject | null;
  try {
    parsed = wireObject(parseJson(text.startsWith(BOM) ? text.slice(BOM.length) : text));
  } catch {
    return { kind: 'unrecognised', topic: null };
  }
  if (!parsed) return { kind: 'unrecognised', topic: null };
  if (typeof parsed['topic'] === 'string') return readWebhook(parsed, parsed['topic']);
  if (parsed['TransID'] !== undefined) return readDarajaWebhook(parsed);
  const resource = readEnvelope(parsed);
  if (!resource)
    return { kind: 'unrecognised', topic: wireText(wireObject(parsed['data'])?.['type']) };
  const { initiation_time, created_at } = resource.attributes;
  return {
    kind: 'result',
    resource,
    at: readTimestamp(initiation_time) ?? readTimestamp(created_at),
  };
}

function readWebhook(body: WireObject, topic: string): Message {
  const event = wireObject(body['event']);
  const transaction = readTransaction(event?.['resource'], event?.['type']);
  if (!transaction || !TRANSACTION_TOPIC.test(topic)) return { kind: 'unrecognised', topic };
  const reversal = !topic.endsWith('_received');
  const { status, reference } = transaction;
  // A reversal may have no status. Received money must have one.
  const proven = reversal && status === null ? 'reversed' : movementOf(status);
  if (proven !== (reversal ? 'reversed' : 'received'))
    return { kind: 'unproven', topic, status, reference };
  return {
    kind: 'transaction',
    topic,
    eventId: wireText(body['id']),
    reversal,
    transaction,
    at: readTimestamp(transaction.originationTime) ?? readTimestamp(body['created_at']),
  };
}

/** Reads the Daraja format, which a subscription can request: no topic, no event id, Nairobi time, always KES. */
function readDarajaWebhook(raw: WireObject): Message {
  const at = readDarajaTimestamp(raw['TransTime']);
  const type = wireText(raw['TransactionType']);
  const reference = wireText(raw['TransID'])?.trim() || null;
  // This format has no status: its type is the proof.
  if (!DARAJA_TYPES.has(type ?? ''))
    return { kind: 'unproven', topic: 'daraja', status: type, reference };
  const transaction: Transaction = {
    id: null,
    type,
    amount: readAmountValue(raw['TransAmount']),
    currency: 'KES',
    status: 'Received',
    system: null,
    reference,
    tillNumber: wireText(raw['BusinessShortCode']),
    originationTime: at?.toISOString() ?? null,
    senderFirstName: wireText(raw['FirstName']),
    senderMiddleName: wireText(raw['MiddleName']),
    senderLastName: wireText(raw['LastName']),
    ...readPayer(wireText(raw['MSISDN']), null),
    sendingTill: null,
    raw,
  };
  return { kind: 'transaction', topic: 'daraja', eventId: null, reversal: false, transaction, at };
}
