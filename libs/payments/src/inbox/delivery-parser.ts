import { parseJson } from '../money/json.js';
import { readAmountValue } from '../money/money.js';
import { isTillNumber } from '../money/till-number.js';
import { readDarajaTimestamp, readTimestamp } from '../money/timestamp.js';
import type { Transaction } from '../money/transaction.js';
import {
  type AcceptedStatuses,
  darajaKindOf,
  isAccepted,
  tillTopicOf,
} from '../money/webhook-topics.js';
import { readPayer, readTransaction } from '../platform/transaction.resource.js';
import {
  readEnvelope,
  type ResourceEnvelope,
  wireName,
  wireObject,
  type WireObject,
  wireText,
} from '../platform/wire-value.js';
import { linkedId, type Notice, NOTICES, type Notices } from './webhook-notices.js';

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

/** Says how a delivery is read. */
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

/**
 * Strings, values, brackets and escapes of one body that are read. A text with more costs seconds, however few bytes it has: a result of
 * one operation has some hundred, and a list of a thousand transactions about as many as this.
 */
const MOST_PARTS = 50_000;

/** Bytes that are kept of a body with more. */
const KEPT_BYTES = 64 * 1024;

/** Stands at the end of what is kept, for people. It is no JSON, so that what is left never means something else than the whole. */
const REST = Buffer.from('\n... the rest is not kept: too many names, values and escapes');

const QUOTE = '"'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const ESCAPE = '\\'.charCodeAt(0);
const PERCENT = '%'.charCodeAt(0);
const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);
/** This bit makes `[` to `{`, and `]` to `}`. */
const BRACKET_BIT = 0x20;

/** A body with more than `MOST_PARTS` parts is not understood, and the delivery says so with this text. */
const TOO_MANY_PARTS = `it has more than ${MOST_PARTS.toLocaleString('en')} names, values and escapes: only its beginning is kept`;

/** Returns the part of a body that is kept: all of it, or the beginning of one with too many parts. Nothing else may read a body before. */
export function boundedBody(body: Buffer): Buffer {
  const cut = cutOf(body);
  return cut === null ? body : Buffer.concat([body.subarray(0, cut), REST]);
}

/** True when a body has too many parts, or is the kept beginning of such a body. */
export function hasTooManyParts(body: Buffer): boolean {
  return body.subarray(-REST.length).equals(REST) || cutOf(body) !== null;
}

/**
 * Returns where a body with too many parts is cut; null for any other. It looks at each byte once, and at none after the last part that is
 * read. It never cuts within a value: half of a card number would not be recognised as one.
 */
function cutOf(body: Buffer): number | null {
  if (body.length <= MOST_PARTS) return null;
  const inString = new StringParts(body);
  let [parts, level, cut] = [0, 0, 0];
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number;
    const bracket = byte | BRACKET_BIT;
    if (byte === QUOTE) {
      const { escapes, end } = inString.from(at + 1, MOST_PARTS - parts);
      parts += escapes + 1;
      at = end;
    } else if (byte === COMMA || bracket === OPEN) {
      parts += 1;
      if (bracket === OPEN) level += 1;
      // Outside of all brackets, the beginning could be JSON.
      if (level > 0 && at < KEPT_BYTES) cut = bracket === OPEN ? at + 1 : at;
    } else if (bracket === CLOSE) level -= 1;
    // An escape outside of strings is no JSON, and work all the same.
    else if (byte === ESCAPE || byte === PERCENT) parts += 1;
    if (parts > MOST_PARTS) return cut;
  }
  return null;
}

/** Finds the ends of strings, and counts their escapes. `indexOf` is much faster than to look at each byte. */
class StringParts {
  private escape = -1;
  private percent = -1;

  constructor(private readonly body: Buffer) {}

  /** @param most it stops after one escape more */
  from(start: number, most: number): { escapes: number; end: number } {
    let escapes = 0;
    let at = start;
    let end = this.next(QUOTE, at);
    while (escapes <= most) {
      if (this.escape < at) this.escape = this.next(ESCAPE, at);
      if (this.percent < at) this.percent = this.next(PERCENT, at);
      const first = Math.min(this.escape, this.percent);
      if (first >= end) break;
      escapes += 1;
      at = first + (first === this.escape ? 2 : 1);
      if (end < at) end = this.next(QUOTE, at);
    }
    return { escapes, end };
  }

  private next(byte: number, from: number): number {
    const found = this.body.indexOf(byte, from);
    return found === -1 ? this.body.length : found;
  }
}
