/** Headers as the journal shows them: lower-case names, secrets masked. */
export type JournalHeaders = Readonly<Record<string, string>>;

interface EntryBase {
  /** Increases by one with each entry. */
  readonly sequence: number;
  /** ISO 8601, on the simulator's clock. */
  readonly at: string;
  /** The name of the merchant; null when the entry is about none, or about all. */
  readonly merchant: string | null;
}

/** A request that the platform received, and how it was answered. */
export interface RequestEntry extends EntryBase {
  readonly type: 'request';
  readonly method: string;
  /** The full URL. */
  readonly url: string;
  readonly headers: JournalHeaders;
  readonly body: string;
  /** Null when the platform never answered. */
  readonly answer: {
    readonly status: number;
    readonly headers: JournalHeaders;
    readonly body: string;
  } | null;
  readonly durationMs: number;
  /** The injected faults. */
  readonly faults: readonly string[];
}

/** One attempt of the platform to deliver a callback or a webhook. */
export interface AttemptEntry extends EntryBase {
  readonly type: 'attempt';
  readonly deliveryId: string;
  readonly attempt: number;
  readonly kind: 'callback' | 'webhook';
  readonly topic: string;
  readonly paymentId: string | null;
  readonly url: string;
  readonly headers: JournalHeaders;
  readonly body: string;
  /** Null when the receiver gave no answer; `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly faults: readonly string[];
}

/** An entry about anything but HTTP: a prompt, an SMS, a lost delivery, a change of the clock. */
export interface NoteEntry extends EntryBase {
  readonly type: 'note';
  readonly title: string;
  readonly phone: string | null;
  readonly paymentId: string | null;
  readonly deliveryId: string | null;
  readonly detail: string;
}

/** The journal has entries about requests, about attempts to deliver, and about anything but HTTP. */
export type JournalEntry = RequestEntry | AttemptEntry | NoteEntry;
