/** Something the platform sent that is unknown, contradictory or suspicious. It changed no payment by itself. @publicApi */
export interface AnomalyExample {
  /** Says what was seen: `unknown status Waiting`. */
  what: string;
  /** The id of the operation or delivery, or the reference of the transaction; see `anomalySubject`. */
  example: string;
  at: Date;
}

/** All anomalies of one kind: there are few kinds, however many anomalies there are. @publicApi */
export interface Anomaly {
  kind: AnomalyKind;
  /** Number of occurrences. */
  count: number;
  /** Time of the last occurrence. */
  lastAt: Date;
  /** The last ones, latest first; one that repeats stands there once. */
  examples: readonly AnomalyExample[];
}

/** Examples that are kept of each kind. */
export const MOST_EXAMPLES = 20;

/** The limit is in characters. The platform may send long texts. */
const LONGEST_TEXT = 500;

/** Returns an example as it is kept. */
export function keptExample(what: string, example: string): Omit<AnomalyExample, 'at'> {
  return { what: what.slice(0, LONGEST_TEXT), example: example.slice(0, LONGEST_TEXT) };
}

/** Store of anomalies. Retention deletes a kind that was not seen for a time. Every method may throw `StoreUnavailableError`. */
export abstract class AnomaliesStore {
  /** Adds one to the count of its kind (`anomalyKind`), and keeps it as the newest example. */
  abstract record(account: string, what: string, example: string): Promise<void>;
  abstract list(account: string): Promise<Anomaly[]>;
}

/**
 * Every kind of anomaly: what the platform sent that is unknown, contradictory or suspicious. The text is stored and counted, and
 * operators read it, so it says what was seen.
 */
export const ANOMALY = {
  // These are anomalies of a payment.
  evidenceBeforeSending: 'evidence before sending',
  evidenceWithAnotherId: 'evidence with another platform id',
  answeredWithAnotherId: 'create answered with another id than its callback',
  answeredWithIdOfAnother: 'create answered with the id of another payment',
  afterRedaction: 'evidence after redaction',
  unknownStatus: (status: string) => `unknown status ${status}`,
  failureWhile: (state: string) => `failure while ${state}`,
  doubtWhile: (cause: string, state: string) => `${cause} while ${state}`,

  // These are anomalies of a transaction.
  unread: (field: string) => `transaction with an unreadable ${field}`,
  anotherAmount: 'transaction reported with another amount',
  referenceUsedAgain: (first: string, then: string) =>
    `reference_used_again: ${first}, then ${then}`,
  ofTwoRequests: 'transaction of two requests',
  unknownTransactionStatus: (status: string | null) => `unknown transaction status ${status}`,
  unreadItem: 'item of a list of transactions that cannot be read',
  unreadList: 'list of transactions that cannot be read',
  notRecognisable:
    'a listed transaction has no reference, id or till by which it could be recognised',
  atTwoTills: (alias: string) =>
    `one reference at two tills: PAYMENTS_TILL_ALIASES=${alias} would join them`,

  // These are anomalies of a delivery.
  unrecognised: (topic: string) => `unrecognised ${topic}`,
  unprovenStatus: (status: string | null, topic: string) => `status ${status} on ${topic}`,
  unreadableAmountOn: (topic: string) => `unreadable amount on ${topic}`,
  anotherAmountOn: (topic: string) => `${topic} reported with another amount`,
  olderThanRetention: (topic: string) => `${topic} older than retention`,
} as const;

/** The example of an anomaly names one of these: by the id of an operation or of a delivery, or by the reference of a transaction. */
export type AnomalySubject = 'operation' | 'transaction' | 'delivery';

/** Kinds that are not here have another example, such as a currency. */
const SUBJECTS: Readonly<Partial<Record<AnomalyKind, AnomalySubject>>> = {
  evidenceBeforeSending: 'operation',
  evidenceWithAnotherId: 'operation',
  answeredWithAnotherId: 'operation',
  answeredWithIdOfAnother: 'operation',
  afterRedaction: 'operation',
  unknownStatus: 'operation',
  failureWhile: 'operation',
  doubtWhile: 'operation',
  unread: 'transaction',
  anotherAmount: 'transaction',
  referenceUsedAgain: 'transaction',
  ofTwoRequests: 'transaction',
  unknownTransactionStatus: 'transaction',
  atTwoTills: 'transaction',
  unrecognised: 'delivery',
  unprovenStatus: 'delivery',
  unreadableAmountOn: 'delivery',
  anotherAmountOn: 'delivery',
  olderThanRetention: 'delivery',
};

/** Stands for what a text of an anomaly quotes. */
const QUOTED = '\0';

/** The kind of an anomaly: what was seen, without what its text quotes. `other` is that of a text which an older version wrote. @publicApi */
export type AnomalyKind = keyof typeof ANOMALY | 'other';

/** The patterns of the texts of each kind, the longest first: a quotation may contain the words of a shorter one. */
const PATTERNS: readonly { kind: AnomalyKind; pattern: RegExp }[] = (
  Object.entries(ANOMALY) as [AnomalyKind, string | ((...quoted: string[]) => string)][]
)
  .map(([kind, text]) => ({
    kind,
    text: typeof text === 'string' ? text : text(QUOTED, QUOTED),
  }))
  .toSorted((one, other) => other.text.length - one.text.length)
  .map(({ kind, text }) => ({
    kind,
    pattern: new RegExp(`^${text.split(QUOTED).map(escaped).join('[^]*')}$`),
  }));

/** Returns the kind of an anomaly, by its text: `unknownStatus` of `unknown status Waiting`. */
export function anomalyKind(what: string): AnomalyKind {
  return PATTERNS.find(({ pattern }) => pattern.test(what))?.kind ?? 'other';
}

/** Says what the examples of a kind name; null when they name nothing that is stored. */
export function anomalySubject(kind: AnomalyKind): AnomalySubject | null {
  return SUBJECTS[kind] ?? null;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
