import { Injectable } from '@nestjs/common';
import { AnomaliesStore, ANOMALY } from '../store/anomalies.store.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import { PlatformAnswerTooLargeError, PlatformResponseError } from '../platform.errors.js';
import {
  PollingWindowsService,
  type Listed,
} from '../platform/resources/polling-windows.service.js';
import type { Transaction } from '../money/transaction.js';
import { tillMovementOf } from '../money/webhook-topics.js';
import { Runtime, SECOND } from '../runtime/clock.js';
import { TillTransactionsService, WAIT_FOR_CALLBACK_MS } from './till-transactions.service.js';
import type { BackgroundRequest } from '../runtime/limits.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { readTimestamp } from '../money/timestamp.js';
import type { MoneyWindow } from './match-window.js';
import { unreadIn, unreadItem, type UnreadItem } from './swept-lists.js';

/** Wait between two checks whether the operation that may own a listed transaction has settled. */
const CHECK_AGAIN_MS = SECOND;

/** A window is halved while its answer is too large, down to this length. */
const SHORTEST_WINDOW_MS = 2_000;

/** Reads the transactions of a time window, and applies them like any other evidence. */
@Injectable()
export class TillSweeper {
  constructor(
    private readonly windows: PollingWindowsService,
    private readonly transactions: TillTransactionsService,
    private readonly anomaliesStore: AnomaliesStore,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Applies all transactions of a window.
   * @param announceFrom only transactions that originated at this time or later emit an event; null: none does
   * @returns what could not be read; null when the application closes before all were applied: then the window must not count as read
   */
  async sweep(
    account: string,
    window: MoneyWindow,
    announceFrom: Date | null,
    kind: BackgroundRequest = 'sweep',
  ): Promise<readonly UnreadItem[] | null> {
    const { from, to } = window;
    let listed: Listed;
    try {
      listed = await this.windows.read(account, from, to, kind);
    } catch (error) {
      if (error instanceof PlatformResponseError)
        await this.anomaliesStore.record(account, ANOMALY.unreadList, from.toISOString());
      const lengthMs = to.getTime() - from.getTime();
      if (!(error instanceof PlatformAnswerTooLargeError) || lengthMs <= SHORTEST_WINDOW_MS)
        throw error;
      const middle = new Date(from.getTime() + Math.ceil(lengthMs / 2));
      const first = await this.sweep(account, { from, to: middle }, announceFrom, kind);
      const second = first && (await this.sweep(account, { from: middle, to }, announceFrom, kind));
      return first && second && [...first, ...second];
    }
    // A time that cannot be read is within the window.
    const announce = (at: Date | null): boolean =>
      announceFrom !== null && (at ?? from) >= announceFrom;
    const unnamed = await this.observeAll(account, listed.transactions, announce);
    return unnamed && this.unreadOf(account, listed, unnamed, window);
  }

  /**
   * Collects the items of a window that could not be read. An item without any transaction is recorded as an anomaly here, the others where
   * they are observed.
   */
  private async unreadOf(
    account: string,
    { transactions, unread: items }: Listed,
    unnamed: ReadonlySet<Transaction>,
    window: MoneyWindow,
  ): Promise<readonly UnreadItem[]> {
    const { acceptedStatuses } = this.accounts.settings(account).deliveries;
    if (items > 0)
      await this.anomaliesStore.record(account, ANOMALY.unreadItem, window.from.toISOString());
    const unread = Array.from({ length: items }, () => unreadItem(window));
    for (const listed of transactions) {
      const transaction = unnamed.has(listed) ? { ...listed, id: null, reference: null } : listed;
      const item = unreadIn(transaction, tillMovementOf(transaction, acceptedStatuses), window);
      if (item && !(await this.transactions.isKnownElsewhere(account, transaction, window)))
        unread.push(item);
    }
    return unread;
  }

  /**
   * Observes all listed transactions. One that may belong to an open payment is observed again, until the payment is read. Returns those that are
   * kept under no name.
   */
  private async observeAll(
    account: string,
    listed: readonly Transaction[],
    announce: (at: Date | null) => boolean,
  ): Promise<ReadonlySet<Transaction> | null> {
    const unnamed = new Set<Transaction>();
    const startedAt = this.runtime.elapsed();
    let left = listed;
    for (;;) {
      const waiting: Transaction[] = [];
      const ageMs = WAIT_FOR_CALLBACK_MS + this.runtime.elapsed() - startedAt;
      for (const transaction of left) {
        const outcome = await this.observe(account, transaction, announce, ageMs);
        if (outcome === 'wait') waiting.push(transaction);
        if (outcome === 'unnamed') unnamed.add(transaction);
      }
      if (waiting.length === 0) return unnamed;
      if (!(await this.shutdown.pause(CHECK_AGAIN_MS))) return null;
      left = waiting;
    }
  }

  private async observe(
    account: string,
    transaction: Transaction,
    announce: (at: Date | null) => boolean,
    ageMs: number,
  ): Promise<'applied' | 'unnamed' | 'wait'> {
    if (!(await this.transactions.concerns(account, transaction))) return 'applied';
    const at = readTimestamp(transaction.originationTime);
    const { acceptedStatuses } = this.accounts.settings(account).deliveries;
    const movement = tillMovementOf(transaction, acceptedStatuses);
    if (movement === null) {
      await this.anomaliesStore.record(
        account,
        ANOMALY.unknownTransactionStatus(transaction.status),
        transaction.reference ?? '',
      );
      return 'applied';
    }
    const { kind } = await this.transactions.observe(
      {
        account,
        via: 'sweep',
        transaction,
        reversal: movement === 'reversed',
        webhookEventId: null,
        announce: announce(at),
      },
      ageMs,
    );
    if (kind === 'unnamed') {
      const { id, currency } = transaction;
      await this.anomaliesStore.record(account, ANOMALY.notRecognisable, id ?? currency ?? '');
    }
    return kind;
  }
}
