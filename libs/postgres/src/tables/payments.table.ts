import {
  StoreUnavailableError,
  type CandidateQuery,
  type HostTransaction,
  type NewPayment,
  type PaymentRecord,
  type RecordResult,
  type StoredHistoryEntry,
} from '@tillkit/payments/store';
import { GroupCommit } from '../group-commit.js';
import { inHostTransaction } from '../host-transaction.js';
import type { Database, Execute } from '../postgres.database.js';
import { waitedForLock } from '../postgres.errors.js';
import {
  readHistoryEntry,
  readPayment,
  recordedPayment,
  writePayment,
} from '../rows/payment.row.js';
import { text, type Row } from '../rows/row.js';
import {
  CLAIM_DUE_PAYMENTS,
  FIND_CANDIDATES,
  FIND_CANDIDATES_OF_ANY,
  FIND_PAYMENT,
  FIND_PAYMENT_BY_KEY,
  FIND_PAYMENT_BY_PLATFORM_ID,
  HASTEN_PAYMENTS,
  PAYMENT_HISTORY,
  RECORD_PAYMENT,
  RECORD_PAYMENTS,
  SCHEDULE_PAYMENT,
} from '../sql/payments.sql.js';
import { storableHash, storableJson, storableText } from '../storable.js';
import { HeldUpRecordings, type Names } from './held-up.recordings.js';

/** What `insert_payment` says. */
type Recorded = { kind: 'recorded'; at: number } | { kind: 'existing' | 'in_flight'; id: string };

/** It waits for another transaction, longer than a group does. */
type Waits = { kind: 'waits' };

interface Recording {
  payment: NewPayment;
  sendBeforeMs: number;
  /** When it was asked for. */
  since: number;
  names: Names;
}

/** Milliseconds that a recording may take. */
export interface RecordingLimits {
  /** For all that a group waits for together: what other groups are writing takes less. */
  groupWaitMs: number;
  /** For what one payment alone waits for. */
  aloneWaitMs: number;
  /** What took longer is not recorded at all: its caller may have given up. */
  lateMs: number;
}

/** The server ends before its caller gives up: what is refused then is told, and nothing is recorded for nobody. */
export function recordingLimits(statementTimeoutMs: number): RecordingLimits {
  return {
    groupWaitMs: 50,
    aloneWaitMs: Math.min(3_000, Math.ceil(statementTimeoutMs * 0.6)),
    lateMs: Math.min(4_000, Math.ceil(statementTimeoutMs * 0.8)),
  };
}

const WAITS: Waits = { kind: 'waits' };

export class PaymentsTable {
  private readonly recording: GroupCommit<Recording, Recorded>;
  /**
   * Those that wait for a transaction of the host, which may stay open for long. They have lanes of their own, so that
   * nobody else waits with them, and no more than two, so that they do not take all connections.
   */
  private readonly alone: GroupCommit<Recording, Recorded>;
  private readonly heldUp = new HeldUpRecordings();
  private readonly asked = new Set<Promise<unknown>>();

  constructor(
    private readonly database: Database,
    { maxQueued, timeoutMs }: { maxQueued: number; timeoutMs: number },
    private readonly limits: RecordingLimits,
  ) {
    const queue = { inFlight: 2, maxQueued, timeoutMs };
    this.recording = new GroupCommit({
      commit: (recordings) => this.recordAll(recordings),
      maxRows: 50,
      ...queue,
    });
    this.alone = new GroupCommit({
      commit: async ([recording]) => [await this.recordAlone(recording as Recording)],
      maxRows: 1,
      ...queue,
    });
  }

  async record(
    payment: NewPayment,
    { sendBeforeMs, transaction }: { sendBeforeMs: number; transaction?: HostTransaction },
  ): Promise<RecordResult> {
    const execute = transaction && inHostTransaction(transaction, this.database);
    const recording = {
      payment,
      sendBeforeMs,
      since: performance.now(),
      names: namesOf(payment),
    };
    const result = execute
      ? await this.recordOne(execute, recording)
      : await this.underWay(this.queue(recording));
    if (result.kind === 'recorded') {
      return { kind: 'recorded', payment: recordedPayment(payment, result.at, sendBeforeMs) };
    }
    if (result.kind === 'in_flight') return { kind: 'in_flight', paymentId: result.id };
    const find = execute ?? this.database.rows;
    const [existing] = await find(FIND_PAYMENT, [payment.account, result.id]);
    return { kind: 'existing', payment: readPayment(existing as Row) };
  }

  async drain(): Promise<void> {
    while (this.asked.size > 0) await Promise.allSettled(this.asked);
  }

  async find(account: string, id: string): Promise<PaymentRecord | null> {
    return this.one(FIND_PAYMENT, account, id);
  }

  async findByKey(account: string, key: string): Promise<PaymentRecord | null> {
    return this.one(FIND_PAYMENT_BY_KEY, account, key);
  }

  async findByPlatformId(account: string, platformId: string): Promise<PaymentRecord | null> {
    return this.one(FIND_PAYMENT_BY_PLATFORM_ID, account, platformId);
  }

  async candidates(account: string, query: CandidateQuery): Promise<PaymentRecord[]> {
    const { payerHash, sentFrom, sentTo } = query;
    const values = [
      account,
      storableText(query.amountMinor),
      storableText(query.currency),
      sentFrom.getTime(),
      sentTo.getTime(),
    ];
    const rows =
      payerHash === null
        ? await this.database.rows(FIND_CANDIDATES_OF_ANY, values)
        : await this.database.rows(FIND_CANDIDATES, [...values, storableHash(payerHash)]);
    return rows.map(readPayment);
  }

  async history(account: string, id: string): Promise<StoredHistoryEntry[]> {
    return (await this.database.rows(PAYMENT_HISTORY, [account, storableText(id)])).map(
      readHistoryEntry,
    );
  }

  async claimDue(
    account: string,
    {
      followed,
      limit,
      leaseMs,
      sendLeaseMs,
    }: { followed: boolean; limit: number; leaseMs: number; sendLeaseMs: number },
  ): Promise<PaymentRecord[]> {
    const values = [account, followed, limit, leaseMs, sendLeaseMs];
    return (await this.database.rows(CLAIM_DUE_PAYMENTS, values)).map(readPayment);
  }

  async schedule(
    { account, id, version }: Pick<PaymentRecord, 'account' | 'id' | 'version'>,
    { inMs, checks }: { inMs: number | null; checks?: number },
  ): Promise<void> {
    const values = [account, storableText(id), version, inMs, checks ?? null];
    await this.database.rows(SCHEDULE_PAYMENT, values);
  }

  async hasten(
    account: string,
    ids: readonly string[],
    { cause, againAfterMs }: { cause: string; againAfterMs: number },
  ): Promise<void> {
    if (ids.length === 0) return;
    const values = [account, ids.map(storableText), storableText(cause), againAfterMs];
    await this.database.rows(HASTEN_PAYMENTS, values);
  }

  private async one(
    statement: string,
    account: string,
    value: string,
  ): Promise<PaymentRecord | null> {
    const [row] = await this.database.rows(statement, [account, storableText(value)]);
    return row ? readPayment(row) : null;
  }

  /** Into the next group, once nobody of the same key or customer is held up. */
  private async queue(recording: Recording): Promise<Recorded> {
    for (let before; (before = this.heldUp.before(recording.names));) {
      const answered = await before;
      const waited = performance.now() - recording.since;
      if (!answered && waited >= this.limits.aloneWaitMs) throw heldUp();
    }
    return this.recording.add(recording);
  }

  private tryAlone(recording: Recording): Promise<Recorded> {
    if (this.heldUp.before(recording.names)) return this.queue(recording);
    return this.heldUp.hold(recording.names, this.alone.add(recording));
  }

  private async underWay<T>(recording: Promise<T>): Promise<T> {
    this.asked.add(recording);
    try {
      return await recording;
    } finally {
      this.asked.delete(recording);
    }
  }

  /**
   * In the order of their customers, whom it locks: two groups that record the same ones wait for each other, never in a
   * circle. A group that waits too long runs again without those that make it wait; they are tried one by one.
   */
  private async recordAll(
    recordings: readonly Recording[],
  ): Promise<(Recorded | Promise<Recorded>)[]> {
    const sorted = recordings
      .map((recording, index) => ({ index, recording, order: orderOf(recording) }))
      .toSorted((one, other) => (one.order < other.order ? -1 : 1));
    const outcomes = await this.tryAll(sorted.map(({ recording }) => recording));
    const results: (Recorded | Promise<Recorded>)[] = [];
    sorted.forEach(({ index, recording }, place) => {
      const outcome = outcomes[place] ?? WAITS;
      results[index] = outcome.kind === 'waits' ? this.tryAlone(recording) : outcome;
    });
    return results;
  }

  private async tryAll(recordings: readonly Recording[]): Promise<(Recorded | Waits)[]> {
    const { groupWaitMs, lateMs } = this.limits;
    const written = storableJson(recordings.map(write));
    const attempt = async (dropsWaiting: boolean): Promise<(Recorded | Waits)[]> => {
      const values = [written, groupWaitMs, lateMs, dropsWaiting];
      return (await this.database.rows(RECORD_PAYMENTS, values)).map(readOutcome);
    };
    try {
      return await attempt(false);
    } catch (error) {
      if (!waitedForLock(error)) throw error;
      return recordings.length === 1 ? [WAITS] : attempt(true);
    }
  }

  private async recordAlone(recording: Recording): Promise<Recorded> {
    try {
      return await this.recordOne(this.database.rows, recording);
    } catch (error) {
      if (!waitedForLock(error)) throw error;
      throw heldUp(error as Error);
    }
  }

  private async recordOne(execute: Execute, recording: Recording): Promise<Recorded> {
    const { aloneWaitMs, lateMs } = this.limits;
    const values = [storableJson(write(recording)), aloneWaitMs, lateMs];
    return readOutcome((await execute(RECORD_PAYMENT, values))[0] as Row) as Recorded;
  }
}

function write({ payment, sendBeforeMs }: Recording): object {
  return writePayment(payment, sendBeforeMs);
}

/** A payment that may be made in parallel is in the way of no other, and none is in its way, but for its key. */
function namesOf({
  account,
  subscriber,
  amount,
  amountMinor,
  idempotencyKey,
  allowParallel,
}: NewPayment): Names {
  return {
    key: [account, idempotencyKey].join('\n'),
    customer: allowParallel
      ? null
      : [account, subscriber.phoneNumber, amount.currency, amountMinor].join('\n'),
  };
}

/** By customer and amount, then by key. */
function orderOf({ names: { key, customer } }: Recording): string {
  return `${customer ?? ''}\n${key}`;
}

function heldUp(cause?: Error): StoreUnavailableError {
  return new StoreUnavailableError(
    'another transaction, which is still open, holds the same idempotency key or the same customer and amount',
    cause && { cause },
  );
}

function readOutcome(row: Row): Recorded | Waits {
  return JSON.parse(text(row, 'result')) as Recorded | Waits;
}
