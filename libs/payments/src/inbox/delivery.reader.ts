import { wireObject, wireText, type WireObject } from '../resources/wire-value.js';
import { parseJson } from '../values/json.js';
import { readAmountValue } from '../values/money.js';
import { readDarajaTimestamp, readTimestamp } from '../values/timestamp.js';
import { readEnvelope, type ResourceEnvelope } from '../resources/resource-envelope.js';
import {
  movementOf,
  readPayer,
  readTransaction,
  type Transaction,
} from '../resources/transaction.resource.js';

/** What a delivery says, as far as we understand it. */
export type Message =
  | {
      kind: 'transaction';
      topic: string;
      eventId: string | null;
      reversal: boolean;
      transaction: Transaction;
      at: Date | null;
    }
  /** Its topic is of money, and its status does not say that the money moved: a topic is not proof. */
  | { kind: 'unproven'; topic: string; status: string | null; reference: string | null }
  | { kind: 'result'; resource: ResourceEnvelope; at: Date | null }
  /** Verified, and of a topic, type or shape that we do not know. */
  | { kind: 'unrecognised'; topic: string | null };

/** Topics that tell of money at a till, in the platform's words. */
const TRANSACTION_TOPIC = /_transaction_(received|reversed|voided)$/;

/** Kinds of money received in the shape that has no topic. */
const DARAJA_TYPES = new Set([
  'Buygoods',
  'Buy Goods',
  'Pay Bill',
  'Business Payment',
  'Organization To Organization Transfer',
]);

/** A JSON text may begin with a byte order mark: it is part of what was signed, and no part of the JSON. */
const BOM = '\uFEFF';

/** Understands the raw bytes of a verified delivery. Never throws: what it does not know, it says so. */
export function readDelivery(body: Buffer): Message {
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
  // A reversal may come without a status; money that came may not.
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

/** The other shape that a subscription can ask for: no topic, no event id, Nairobi time, and Kenya's one currency. */
function readDarajaWebhook(raw: WireObject): Message {
  const at = readDarajaTimestamp(raw['TransTime']);
  const type = wireText(raw['TransactionType']);
  const reference = wireText(raw['TransID'])?.trim() || null;
  // This shape has no status: its type is the proof.
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
