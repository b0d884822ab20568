import { Inject, Injectable } from '@nestjs/common';
import { TillTransactionsService } from './till-transactions.service.js';
import { PaymentsStore } from './payments.store.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { BackgroundRequest } from '../http/background.pacer.js';
import { PlatformAnswerTooLargeError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { PollingWindowsReader } from '../resources/polling/polling-windows.reader.js';
import { movementOf, type Transaction } from '../resources/transaction.resource.js';
import { Runtime } from '../runtime/runtime.js';
import { readTimestamp } from '../values/timestamp.js';

/** What is listed is old enough that its callback has come, or will not: a payment it may be the money of is read at once. */
const LISTED_AGE_MS = 3_000;

/** Between two looks at whether that payment has settled. */
const LOOK_AGAIN_MS = 1_000;

/** A window is halved while its answer is too large, down to this. */
const SHORTEST_WINDOW_MS = 2_000;

/** Reads what the platform received in a window, and takes it into the ledger like any other evidence. */
@Injectable()
export class TillSweeper {
  constructor(
    private readonly windows: PollingWindowsReader,
    private readonly transactions: TillTransactionsService,
    private readonly store: PaymentsStore,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Takes all transactions of a window. What originated before `announceFrom` is remembered without an event: it is from
   * before the first start. Null: none of it emits one. Resolves with false when the application closes before all of it was
   * taken: it must not count as read.
   */
  async sweep(
    from: Date,
    to: Date,
    announceFrom: Date | null,
    kind: BackgroundRequest = 'sweep',
  ): Promise<boolean> {
    let listed: Transaction[];
    try {
      listed = await this.windows.read(from, to, kind);
    } catch (error) {
      const lengthMs = to.getTime() - from.getTime();
      if (!(error instanceof PlatformAnswerTooLargeError) || lengthMs <= SHORTEST_WINDOW_MS)
        throw error;
      const middle = new Date(from.getTime() + Math.ceil(lengthMs / 2));
      return (
        (await this.sweep(from, middle, announceFrom, kind)) &&
        (await this.sweep(middle, to, announceFrom, kind))
      );
    }
    return this.takeAll(listed, announceFrom);
  }

  /** Money that may be an open payment's waits a little for that payment to be read, so that its event can name it. */
  private async takeAll(
    listed: readonly Transaction[],
    announceFrom: Date | null,
  ): Promise<boolean> {
    const startedAt = this.runtime.elapsed();
    let left = listed;
    for (;;) {
      const waiting: Transaction[] = [];
      const ageMs = LISTED_AGE_MS + this.runtime.elapsed() - startedAt;
      for (const transaction of left) {
        const taken = await this.take(transaction, announceFrom, ageMs);
        if (taken === 'wait') waiting.push(transaction);
      }
      if (waiting.length === 0) return true;
      if (!(await this.closing.pause(LOOK_AGAIN_MS))) return false;
      left = waiting;
    }
  }

  private async take(
    transaction: Transaction,
    announceFrom: Date | null,
    ageMs: number,
  ): Promise<'taken' | 'wait'> {
    const at = readTimestamp(transaction.originationTime);
    const movement = movementOf(transaction.status);
    if (movement === null) {
      await this.store.count(
        this.options.account,
        `unknown transaction status ${transaction.status}`,
        transaction.reference ?? '',
      );
      return 'taken';
    }
    const { kind } = await this.transactions.take(
      {
        via: 'sweep',
        transaction,
        reversal: movement === 'reversed',
        webhookEventId: null,
        announce: announceFrom !== null && at !== null && at >= announceFrom,
      },
      ageMs,
    );
    if (kind === 'nameless') {
      const { id, currency } = transaction;
      await this.store.count(
        this.options.account,
        'a listed transaction has no reference, id or till to be known by',
        id ?? currency ?? '',
      );
    }
    return kind === 'wait' ? 'wait' : 'taken';
  }
}
