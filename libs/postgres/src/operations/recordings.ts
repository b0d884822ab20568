import {
  StoreUnavailableError,
  type HostTransaction,
  type NewOperationRecord,
  type OperationInTheWay,
  type Pause,
  type RecordOptions,
  type RefusedByGuard,
  type SendingMark,
} from '@tillkit/payments/internal/store';
import {
  operationsRecordInHostSql,
  operationsRecordManySql,
  operationsRecordOneSql,
} from '../generated/sql.js';
import { GroupCommit, type GroupLimits } from '../group-commit.js';
import { OpenTransaction } from '../host/host-transaction.js';
import type { Database } from '../postgres-database.js';
import { waitedForLock } from '../postgres.errors.js';
import { text, type Row } from '../row.js';
import { storableJson } from '../storable.js';
import { guardKeysOf, writeOperation } from './operation.row.js';

/** The reason why an operation is refused, as `refusal_of` writes it. */
export type Refused =
  | (Omit<RefusedByGuard, 'operations'> & {
      operations: readonly (Omit<OperationInTheWay, 'since'> & { since: number })[];
    })
  | { kind: 'over_limit'; usedMinor: string };

/** The result of `record_operations` for one operation. */
export type Recorded =
  | { kind: 'recorded'; at: number; mark?: SendingMark | undefined }
  | { kind: 'paused'; pause: Omit<Pause, 'at'> & { at: number } }
  /** `row` is there when the transaction of the host recorded it. */
  | { kind: 'existing'; id: string; row?: Row }
  | Refused
  | { kind: 'needs_approval' };

/** The payment would wait for another transaction for longer than a group may wait. */
type Waits = { kind: 'waits' };

interface Recording {
  operation: NewOperationRecord;
  options: RecordOptions;
  /** The time of the request, in milliseconds of `performance.now()`. */
  since: number;
  names: Names;
}

/** The limits on the time that recording a payment may take, in milliseconds. */
export interface RecordingLimits {
  /** The limit on all waits of a group together. Waiting for another group takes less. */
  groupWaitMs: number;
  /** The limit on all waits of a payment that is recorded alone. */
  aloneWaitMs: number;
  /** A recording that took longer fails and records nothing, because its caller may have given up. */
  lateMs: number;
}

/** The server gives up before the client does. So the caller gets an error, and no payment is recorded after that error. */
export function recordingLimits(statementTimeoutMs: number): RecordingLimits {
  return {
    groupWaitMs: 50,
    aloneWaitMs: Math.min(3_000, Math.ceil(statementTimeoutMs * 0.6)),
    lateMs: Math.min(4_000, Math.ceil(statementTimeoutMs * 0.8)),
  };
}

const WAITS: Waits = { kind: 'waits' };

/** Records operations: many in one statement, and those that wait for a transaction of the host by themselves. */
export class Recordings {
  private readonly together: GroupCommit<Recording, Recorded>;
  /**
   * Payments that wait for a transaction of the host, which may stay open for long. They are recorded one by one, so that no
   * other payment waits with them, and two at a time, so that they do not use all connections.
   */
  private readonly alone: GroupCommit<Recording, Recorded>;
  private readonly heldUp = new HeldUpRecordings();
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly database: Database,
    waiting: GroupLimits,
    private readonly limits: RecordingLimits,
  ) {
    const queue = { inFlight: 2, ...waiting };
    this.together = new GroupCommit({
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

  async add(operation: NewOperationRecord, options: RecordOptions): Promise<Recorded> {
    const names = namesOf(operation);
    const recording = { operation, options, since: performance.now(), names };
    const recorded = this.queue(recording);
    this.underWay.add(recorded);
    try {
      return await recorded;
    } finally {
      this.underWay.delete(recorded);
    }
  }

  /** Records an operation at once, in the transaction of the host. */
  async addIn(
    transaction: HostTransaction,
    operation: NewOperationRecord,
    options: RecordOptions,
  ): Promise<Recorded> {
    const statement = this.database.qualify(operationsRecordInHostSql);
    const values = this.valuesOf(operation, options);
    const asked = OpenTransaction.of(transaction).then((open) => open.ask(statement, values));
    const answer = await inTime(asked, this.database.statementTimeoutMs);
    const recorded = JSON.parse(answer) as Recorded | Waits;
    if (recorded.kind === 'waits') throw heldUp();
    return recorded;
  }

  async drain(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
  }

  /** Adds a recording to the next group, after the recordings of the same key or guard that are held up. */
  private async queue(recording: Recording): Promise<Recorded> {
    for (let before; (before = this.heldUp.before(recording.names));) {
      const answered = await before;
      const waited = performance.now() - recording.since;
      if (!answered && waited >= this.limits.aloneWaitMs) throw heldUp();
    }
    return this.together.add(recording);
  }

  private tryAlone(recording: Recording): Promise<Recorded> {
    if (this.heldUp.before(recording.names)) return this.queue(recording);
    return this.heldUp.hold(recording.names, this.alone.add(recording));
  }

  /**
   * Records a group in the order of guards. The statement locks the guards in that order, so two groups cannot deadlock. A group that waits
   * too long runs again without the payments that it waits for. Those are recorded one by one.
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
    // The second attempt has no marks, because the first may have waited for a pause.
    const attempt = async (isSecond: boolean): Promise<(Recorded | Waits)[]> => {
      const written = recordings.map(({ operation, options }) =>
        writeOperation(operation, isSecond ? { ...options, mark: undefined } : options),
      );
      const values = [storableJson(written), groupWaitMs, lateMs, isSecond];
      const rows = await this.database.rows(operationsRecordManySql, values);
      return rows.map((row, place) => {
        const outcome = readOutcome(row);
        if (isSecond || outcome.kind !== 'recorded') return outcome;
        return { ...outcome, mark: recordings[place]?.options.mark };
      });
    };
    try {
      return await attempt(false);
    } catch (error) {
      if (!waitedForLock(error)) throw error;
      return recordings.length === 1 ? [WAITS] : attempt(true);
    }
  }

  private async recordAlone({ operation, options }: Recording): Promise<Recorded> {
    try {
      const values = this.valuesOf(operation, options);
      const [row] = await this.database.rows(operationsRecordOneSql, values);
      return readOutcome(row as Row) as Recorded;
    } catch (error) {
      if (!waitedForLock(error)) throw error;
      throw heldUp(error as Error);
    }
  }

  /** Such a recording may wait long. With a mark, a pause would wait for it, and each recording after the pause would wait too. */
  private valuesOf(operation: NewOperationRecord, options: RecordOptions): string[] {
    const { aloneWaitMs, lateMs } = this.limits;
    const written = storableJson(writeOperation(operation, { ...options, mark: undefined }));
    return [written, String(aloneWaitMs), String(lateMs)];
  }
}

function namesOf({ account, kind, idempotencyKey, guard }: NewOperationRecord): Names {
  return {
    key: [account, kind, idempotencyKey].join('\n'),
    guards: (guard ? guardKeysOf(guard) : [])
      .map((guarded) => [account, guarded].join('\n'))
      .toSorted(),
  };
}

/** Returns the order of recordings: by their first guard, then by key. */
function orderOf({ names: { key, guards } }: Recording): string {
  return `${guards[0] ?? ''}\n${key}`;
}

function heldUp(cause?: Error): StoreUnavailableError {
  return new StoreUnavailableError(
    'another open transaction holds the same idempotency key, the same customer and amount, the same destination of a payout, or the limit of ' +
      'the day for payouts. Commit it sooner. Nothing was recorded; try again with the same key',
    { ...(cause && { cause }), changedNothing: true },
  );
}

function readOutcome(row: Row): Recorded | Waits {
  return JSON.parse(text(row, 'result')) as Recorded | Waits;
}

/** The names by which recordings conflict: equal keys, or equal guards. */
interface Names {
  key: string;
  guards: readonly string[];
}

/**
 * Recordings that wait for an open transaction of the host. Later recordings of the same key or guard would wait for the
 * same transaction. They wait here instead: they use no connection and do not delay groups, however often a caller
 * repeats its request.
 */
class HeldUpRecordings {
  private readonly held = new Map<string, Promise<boolean>>();

  /** Returns the held-up recording that this one must wait for. It resolves when that one ends: true if it had a result. */
  before(names: Names): Promise<boolean> | undefined {
    for (const name of listed(names)) {
      const held = this.held.get(name);
      if (held) return held;
    }
    return undefined;
  }

  /** Makes later recordings of the same names wait until this one ends. */
  async hold<T>(names: Names, recording: Promise<T>): Promise<T> {
    const ended = recording.then(
      () => true,
      () => false,
    );
    for (const name of listed(names)) this.held.set(name, ended);
    try {
      return await recording;
    } finally {
      for (const name of listed(names)) this.held.delete(name);
    }
  }
}

function listed({ key, guards }: Names): string[] {
  return [`key ${key}`, ...guards.map((guard) => `guard ${guard}`)];
}

/**
 * Rejects when the query takes longer than the limit. The server has a shorter limit, so either the connection of the host is gone, or it
 * waits for statements of the host.
 */
async function inTime<T>(query: Promise<T>, limitMs: number): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(notAnswered(limitMs)), limitMs);
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(limit);
  }
}

function notAnswered(limitMs: number): StoreUnavailableError {
  return new StoreUnavailableError(
    `the query of \`transaction\` has not answered in ${limitMs} ms. Roll it back: if it is committed, what it records may be sent`,
  );
}
