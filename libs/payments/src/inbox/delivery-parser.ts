import { readEnvelope } from '../platform/envelope.reader.js';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import { readPayer, readTransaction } from '../platform/transaction.resource.js';
import type { Transaction } from '../money/transaction.js';
import {
  darajaKindOf,
  isAccepted,
  tillTopicOf,
  type AcceptedStatuses,
} from '../money/webhook-topics.js';
import { wireName, wireObject, wireText, type WireObject } from '../platform/wire-value.js';
import { parseJson } from '../money/json.js';
import { readAmountValue } from '../money/money.js';
import { isTillNumber } from '../money/till-number.js';
import { readDarajaTimestamp, readTimestamp } from '../money/timestamp.js';
import { hasTooManyParts, TOO_MANY_PARTS } from './body-bounds.js';
import { linkedId, NOTICES, type Notice, type Notices } from './webhook-notices.js';

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
  /** It reports something else than money at a till. */
  | {
      kind: 'notice';
      topic: string;
      eventId: string | null;
      notices: Notices;
      notice: Notice;
      at: Date | null;
    }
  /** Its topic says that money moved, but its status does not. A topic is no proof. */
  | { kind: 'unproven'; topic: string; status: string | null; reference: string | null }
  | { kind: 'result'; resource: ResourceEnvelope; at: Date | null }
  /** Its topic, type or format is unknown, unless `why` says something else. */
  | { kind: 'unrecognised'; topic: string | null; why?: string };

/** How a delivery is read. */
export interface Reading {
  /** The words that the account's host accepts as proof besides ours. */
  accepted: AcceptedStatuses;
  /** See `timestampOf`. */
  latest?: number | undefined;
}

/** A byte order mark may come before the JSON. The signature covers it, but it is no part of the JSON. */
const BOM = '\uFEFF';

/**
 * Parses the raw bytes of a verified delivery. Never throws: an unknown delivery is `unrecognised`.
 */
export function parseDelivery(body: Buffer, { accepted, latest }: Reading): Message {
  if (hasTooManyParts(body)) return { kind: 'unrecognised', topic: null, why: TOO_MANY_PARTS };
  const text = body.toString('utf8');
  let parsed: WireObject | null;
  try {
    parsed = wireObject(parseJson(text.startsWith(BOM) ? text.slice(BOM.length) : text));
  } catch {
    return { kind: 'unrecognised', topic: null };
  }
  if (!parsed) return { kind: 'unrecognised', topic: null };
  const topic = typeof parsed['topic'] === 'string' ? wireName(parsed['topic']) : null;
  if (topic !== null) return readWebhook(parsed, topic, { accepted, latest });
  if (parsed['TransID'] !== undefined) return readDarajaWebhook(parsed, { accepted, latest });
  const resource = readEnvelope(parsed, latest);
  if (!resource)
    return { kind: 'unrecognised', topic: wireName(wireObject(parsed['data'])?.['type']) };
  const { initiation_time, created_at } = resource.attributes;
  return {
    kind: 'result',
    resource,
    at: readTimestamp(initiation_time, latest) ?? readTimestamp(created_at, latest),
  };
}

function readWebhook(body: WireObject, topic: string, reading: Reading): Message {
  const { accepted, latest } = reading;
  const notices = NOTICES.find((each) => each.topic === topic);
  if (notices) return readNotice(body, notices, reading);
  const event = wireObject(body['event']);
  const tillTopic = tillTopicOf(topic);
  if (!tillTopic) return { kind: 'unrecognised', topic };
  const { kind, reversal } = tillTopic;
  const transaction = readTransaction(event?.['resource'], event?.['type'], 'till', latest, kind);
  if (!transaction) return { kind: 'unrecognised', topic };
  const { status, reference } = transaction;
  if (!isAccepted(topic, status, accepted)) return { kind: 'unproven', topic, status, reference };
  return {
    kind: 'transaction',
    topic,
    eventId: wireName(body['id']),
    reversal,
    transaction,
    at: readTimestamp(transaction.originationTime) ?? readTimestamp(body['created_at'], latest),
  };
}

function readNotice(body: WireObject, notices: Notices, { accepted, latest }: Reading): Message {
  const { topic, collection, read, hasStatus } = notices;
  const resource = wireObject(wireObject(body['event'])?.['resource']);
  if (!resource) return { kind: 'unrecognised', topic };
  const notice = read(resource, linkedId(wireObject(body['_links'])?.['resource'], collection));
  const { id, status, originationTime } = notice;
  if (hasStatus && !isAccepted(topic, status, accepted))
    return { kind: 'unproven', topic, status, reference: id };
  return {
    kind: 'notice',
    topic,
    eventId: wireName(body['id']),
    notices,
    notice,
    at: readTimestamp(originationTime, latest) ?? readTimestamp(body['created_at'], latest),
  };
}

/** Reads the Daraja format, which a subscription can request: no topic, no event id, Nairobi time, always KES. */
function readDarajaWebhook(raw: WireObject, { accepted, latest }: Reading): Message {
  const at = readDarajaTimestamp(raw['TransTime'], latest);
  const type = wireText(raw['TransactionType']);
  const reference = wireName(raw['TransID'])?.trim() || null;
  const kind = darajaKindOf(type, accepted);
  // This format has no status: its type is the proof.
  if (kind === null) return { kind: 'unproven', topic: 'daraja', status: type, reference };
  const transaction: Transaction = {
    provenance: 'till',
    id: null,
    type,
    kind,
    amount: readAmountValue(raw['TransAmount'], 'KES'),
    currency: 'KES',
    status: 'Received',
    system: null,
    reference,
    tillNumber: wireText(raw['BusinessShortCode']),
    originationTime: at?.toISOString() ?? null,
    ...(kind === 'b2b' ? readSendingTill(raw) : readSender(raw)),
    cardNumber: null,
    settled: null,
    raw,
  };
  return { kind: 'transaction', topic: 'daraja', eventId: null, reversal: false, transaction, at };
}

type Sender = Pick<
  Transaction,
  | 'senderFirstName'
  | 'senderMiddleName'
  | 'senderLastName'
  | 'senderPhoneNumber'
  | 'hashedSenderPhone'
  | 'sendingTill'
>;

function readSender(raw: WireObject): Sender {
  return {
    senderFirstName: wireText(raw['FirstName']),
    senderMiddleName: wireText(raw['MiddleName']),
    senderLastName: wireText(raw['LastName']),
    ...readPayer(wireText(raw['MSISDN']), null),
    sendingTill: null,
  };
}

/** Between tills, the name is that of an organisation, and the number its short code, or that of a person. */
function readSendingTill(raw: WireObject): Sender {
  const number = wireText(raw['MSISDN']);
  const payer = readPayer(number, null);
  const isShortCode = number !== null && isTillNumber(number) && payer.senderPhoneNumber === null;
  return {
    senderFirstName: null,
    senderMiddleName: null,
    senderLastName: null,
    ...payer,
    sendingTill: wireText(raw['FirstName'])?.trim() || (isShortCode ? number : null),
  };
}
