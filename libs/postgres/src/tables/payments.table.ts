import type {
  HostTransaction,
  NewPayment,
  PaymentRecord,
  RecordResult,
  StoredHistoryEntry,
} from '@tillkit/payments/store';
import { GroupCommit } from '../group-commit.js';
import { inHostTransaction } from '../host-transaction.js';
import type { Database, Execute } from '../postgres.database.js';
import {
  readHistoryEntry,
  readPayment,
  recordedPayment,
  writePayment,
} from '../rows/payment.row.js';
import { text, type Row } from '../rows/row.js';
import {
  CLAIM_DUE_PAYMENTS,
  FIND_OPEN_PAYMENTS,
  FIND_PAYMENT,
  FIND_PAYMENT_BY_KEY,
  FIND_PAYMENT_BY_PLATFORM_ID,
  PAYMENT_HISTORY,
  RECORD_PAYMENT,
  RECORD_PAYMENTS,
  SCHEDULE_PAYMENT,
} from '../sql/payments.sql.js';
import { storableJson, storableText } from '../storable.js';

/** What `record_payment` says. */
type Recorded = { kind: 'recorded'; at: number } | { kind: 'existing' | 'in_flight'; id: string };

interface Recording {
  payment: NewPayment;
  sendBeforeMs: number;
  dueInMs: number;
}

export class PaymentsTable {
  private readonly recording: GroupCommit<Recording, Recorded>;

  constructor(
    private readonly database: Database,
    limits: { maxQueued: number; timeoutMs: number },
  ) {
    this.recording = new GroupCommit({
      commit: (recordings) => this.recordAll(recordings),
      maxRows: 50,
      inFlight: 2,
      ...limits,
    });
  }

  async record(
    payment: NewPayment,
    options: { sendBeforeMs: number; dueInMs: number; transaction?: HostTransaction },
  ): Promise<RecordResult> {
    const { sendBeforeMs, dueInMs, transaction } = options;
    const execute = transaction && inHostTransaction(transaction, this.database);
    const result = execute
      ? await recordOne(execute, payment, sendBeforeMs)
      : await this.recording.add({ payment, sendBeforeMs, dueInMs });
    if (result.kind === 'recorded') {
      return { kind: 'recorded', payment: recordedPayment(payment, result.at, sendBeforeMs) };
    }
    if (result.kind === 'in_flight') return { kind: 'in_flight', paymentId: result.id };
    const find = execute ?? this.database.rows;
    const [existing] = await find(FIND_PAYMENT, [payment.account, result.id]);
    return { kind: 'existing', payment: readPayment(existing as Row) };
  }

  async drain(): Promise<void> {
    await this.recording.drain();
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

  async findOpen(
    account: string,
    like: { tillKey: string; currency: string; amountMinor: string },
  ): Promise<PaymentRecord[]> {
    const values = [like.tillKey, like.currency, like.amountMinor].map(storableText);
    return (await this.database.rows(FIND_OPEN_PAYMENTS, [account, ...values])).map(readPayment);
  }

  async history(account: string, id: string): Promise<StoredHistoryEntry[]> {
    return (await this.database.rows(PAYMENT_HISTORY, [account, storableText(id)])).map(
      readHistoryEntry,
    );
  }

  async claimDue(account: string, limit: number, leaseMs: number): Promise<PaymentRecord[]> {
    return (await this.database.rows(CLAIM_DUE_PAYMENTS, [account, limit, leaseMs])).map(
      readPayment,
    );
  }

  async schedule(
    account: string,
    id: string,
    next: { inMs: number; checks?: number },
  ): Promise<void> {
    await this.database.rows(SCHEDULE_PAYMENT, [account, id, next.inMs, next.checks ?? null]);
  }

  private async one(
    statement: string,
    account: string,
    value: string,
  ): Promise<PaymentRecord | null> {
    const [row] = await this.database.rows(statement, [account, storableText(value)]);
    return row ? readPayment(row) : null;
  }

  /** In the order of their keys: two groups that record the same ones wait for each other, never in a circle. */
  private async recordAll(recordings: readonly Recording[]): Promise<Recorded[]> {
    const sorted = recordings
      .map(({ payment, ...times }, index) => ({
        index,
        row: { ...writePayment(payment), ...times },
        payment,
      }))
      .toSorted((one, other) =>
        one.payment.idempotencyKey < other.payment.idempotencyKey ? -1 : 1,
      );
    const rows = await this.database.rows(RECORD_PAYMENTS, [
      storableJson(sorted.map(({ row }) => row)),
    ]);
    const results: Recorded[] = [];
    sorted.forEach(({ index }, place) => {
      results[index] = readRecorded(rows[place] as Row);
    });
    return results;
  }
}

/** In the host's transaction. Due at once: the host's commit may come after this process has died. */
async function recordOne(
  execute: Execute,
  payment: NewPayment,
  sendBeforeMs: number,
): Promise<Recorded> {
  const values = [storableJson(writePayment(payment)), sendBeforeMs, 0];
  return readRecorded((await execute(RECORD_PAYMENT, values))[0] as Row);
}

function readRecorded(row: Row): Recorded {
  return JSON.parse(text(row, 'result')) as Recorded;
}
