import { wireObject, wireText, type WireObject } from '../resources/wire-value.js';
import { readAmountValue } from '../values/money.js';
import { readDarajaTimestamp, readTimestamp } from '../values/timestamp.js';
import { readEnvelope, type ResourceEnvelope } from '../resources/resource-envelope.js';
import { readTransaction, type Transaction } from '../resources/transaction.resource.js';

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
  | { kind: 'result'; resource: ResourceEnvelope; at: Date | null }
  /** Verified, and of a topic, type or shape that we do not know. */
  | { kind: 'unrecognised'; topic: string | null };

/** Topics that tell of money at a till, in the platform's words. */
const TRANSACTION_TOPIC = /_transaction_(received|reversed|voided)$/;

/** A JSON text may begin with a byte order mark: it is part of what was signed, and no part of the JSON. */
const BOM = '\uFEFF';

/** Understands the raw bytes of a verified delivery. Never throws: what it does not know, it says so. */
export function readDelivery(body: Buffer): Message {
  const text = body.toString('utf8');
  let parsed: WireObject | null;
  try {
    parsed = wireObject(JSON.parse(text.startsWith(BOM) ? text.slice(BOM.length) : text));
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
  return {
    kind: 'transaction',
    topic,
    eventId: wireText(body['id']),
    reversal: !topic.endsWith('_received') || transaction.status === 'Reversed',
    transaction,
    at: readTimestamp(transaction.originationTime) ?? readTimestamp(body['created_at']),
  };
}

/** The other shape that a subscription can ask for: no topic, no event id, Nairobi time, and Kenya's one currency. */
function readDarajaWebhook(raw: WireObject): Message {
  const at = readDarajaTimestamp(raw['TransTime']);
  const payer = wireText(raw['MSISDN']);
  const isHash = payer !== null && /^[0-9a-f]{64}$/i.test(payer);
  const transaction: Transaction = {
    id: null,
    type: wireText(raw['TransactionType']),
    amount: readAmountValue(raw['TransAmount']),
    currency: 'KES',
    status: 'Received',
    system: null,
    reference: wireText(raw['TransID'])?.trim() || null,
    tillNumber: wireText(raw['BusinessShortCode']),
    originationTime: at?.toISOString() ?? null,
    senderFirstName: wireText(raw['FirstName']),
    senderMiddleName: wireText(raw['MiddleName']),
    senderLastName: wireText(raw['LastName']),
    senderPhoneNumber: isHash || payer === null ? null : payer,
    hashedSenderPhone: isHash ? payer : null,
    sendingTill: null,
    raw,
  };
  return { kind: 'transaction', topic: 'daraja', eventId: null, reversal: false, transaction, at };
}
