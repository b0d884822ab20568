import { isSameTill, type TillAliases } from '../money/till-number.js';
import { minorOf, type MoneyKey } from '../money/transaction-sameness.js';
import type { Transaction, TransactionRecord } from '../money/transaction.js';
import { type Runtime, SECOND } from '../runtime/clock.js';
import type { Claim } from '../store/claim.js';
import type { NewDelivery } from '../store/deliveries.store.js';
import type { Committed, CommitWithDelivery } from '../store/ledger.store.js';
import type { Operation, OperationKey } from '../store/operation.js';
import type { OperationsStore } from '../store/operations.store.js';
import type { RecentRecords } from './recent-records.js';
import type { LedgerCommits, LedgerSignals, PreparedChange } from './ledger-commits.js';
import { payerOf } from './transaction-changes.js';

/** How long a process may work on a delivery. Short: when the answer to a claim is lost with the connection, no process works on the delivery until this ends. */
export const DELIVERY_LEASE_MS = 30 * SECOND;

/**
 * So long a webhook waits for the callback of its payment before it is stored and answered: both come almost together, and after the
 * callback the webhook is stored and processed in one commit.
 */
const CALLBACK_FIRST_MS = 200;

/** Commits that a delivery waits for, one after the other, before it is stored. */
const MOST_WAITS = 4;

/** Ends the application of a delivery that is to be stored first, or that its refused commit has stored. It is applied again then. */
export class StoredFirst extends Error {}

/** One for all: most webhooks of money that nobody asked for end so, and each new error records its stack. */
const STORED_FIRST = new StoredFirst();

interface ArrivingDeliveryParts {
  records: RecentRecords;
  operations: OperationsStore;
  commits: LedgerCommits;
  signals: LedgerSignals;
  tillAliases: TillAliases;
  runtime: Runtime;
}

/**
 * A signed delivery that is not stored yet. The ordinary rules apply it to what this process knows, and their commit stores it too: most
 * results come to the process that sent the create, within minutes. Another process may have changed what is known here: then the commit
 * is refused, and has stored the delivery, which is applied again, with reads. "Nothing to do" is no commit, so it is applied again too.
 */
export class ArrivingDelivery {
  /** What has become of it. Undefined: it is not stored. */
  result: CommitWithDelivery | undefined;
  hasBegunCommit = false;
  private isTooLate = false;
  private waits = 0;

  constructor(
    private readonly delivery: NewDelivery,
    private readonly parts: ArrivingDeliveryParts,
  ) {}

  /** Call it before everything that writes but the one commit. Reads may take what is left of the time. @throws StoredFirst always */
  mustBeStored(): never {
    throw STORED_FIRST;
  }

  /** It waits no longer: it is stored without what it changes, unless its commit has begun. Returns whether it has. */
  endWaits(): boolean {
    this.isTooLate = true;
    return this.hasBegunCommit;
  }

  async operationWithPlatformId(kind: string, platformId: string): Promise<Operation | null> {
    const { account } = this.delivery;
    const find = (): Operation | null =>
      this.parts.records.operationWithPlatformId(account, kind, platformId);
    const operation = find();
    if (!operation) return null;
    await this.untilUnchanging(() => this.changing(operation));
    return find();
  }

  /**
   * An operation of which another process has sent the create, or this one before a restart, is read: to read first and store once costs
   * less than to store twice.
   */
  async operation(id: string): Promise<Operation | null> {
    const { account } = this.delivery;
    const { records, operations } = this.parts;
    await this.untilUnchanging(() => this.changing({ account, id }));
    return records.operation(account, id) ?? operations.find(account, id);
  }

  /** Null: this process does not know it. Then it counts as new, because the commit is refused if another process has written it. */
  async transaction(reference: string): Promise<TransactionRecord | null> {
    const { account } = this.delivery;
    const { records } = this.parts;
    await this.untilUnchanging(() => records.changingTransaction(account, reference));
    return records.transaction(account, reference);
  }

  /** Waits until this process knows money that a webhook reports: from the result of the operation that will own it. */
  async untilKnown(key: MoneyKey, transaction: Transaction): Promise<void> {
    const { runtime } = this.parts;
    const until = runtime.elapsed() + CALLBACK_FIRST_MS;
    while (!(await this.transaction(key.reference))) {
      const owner = this.ownerOf(key, transaction);
      const leftMs = until - runtime.elapsed();
      if (!owner || leftMs <= 0) this.mustBeStored();
      if (this.changing(owner)) await this.untilUnchanging(() => this.changing(owner));
      else await this.nextChangeOf(owner, leftMs);
    }
  }

  /**
   * Commits what it changes, and stores it with that.
   * @throws StoredFirst when there is no time left, or the commit was refused and has stored it only
   * @param isTransactionJudged whether the change was decided on the record of a transaction, which the commit must then compare
   */
  async commit(prepared: PreparedChange, isTransactionJudged: boolean): Promise<Committed> {
    if (isTransactionJudged && !prepared.change.transaction) this.mustBeStored();
    this.checkTime();
    this.hasBegunCommit = true;
    this.result = await this.parts.commits.commitWithDelivery(
      prepared,
      this.delivery,
      DELIVERY_LEASE_MS,
    );
    return this.result.kind === 'committed' ? this.result : this.mustBeStored();
  }

  private checkTime(): void {
    if (this.isTooLate || this.waits > MOST_WAITS) this.mustBeStored();
  }

  private async untilUnchanging(commit: () => Promise<unknown> | null): Promise<void> {
    for (let under = commit(); under; under = commit()) {
      this.waits += 1;
      this.checkTime();
      await under;
    }
  }

  private changing({ account, id }: OperationKey): Promise<unknown> | null {
    return this.parts.records.changingOperation(account, id);
  }

  /** The open operation that will probably own a transaction. It says only what is waited for, never whose the money is. */
  private ownerOf({ till }: MoneyKey, transaction: Transaction): Operation | null {
    const { account } = this.delivery;
    const { records, tillAliases } = this.parts;
    const amountMinor = minorOf(transaction);
    const payerHash = payerOf(transaction);
    const { currency } = transaction;
    if (amountMinor === null || currency === null || payerHash === null) return null;
    const open = records.openOperations({ account, currency, amountMinor, payerHash });
    return open.find(({ tills }) => isSameTill(till, tills, tillAliases)) ?? null;
  }

  /** Resolves after the next change of an operation in this process, or after `ms` milliseconds. */
  private nextChangeOf({ account, id }: Operation, ms: number): Promise<void> {
    const { runtime, signals } = this.parts;
    return new Promise((resolve) => {
      const end = (): void => {
        cancelTimer();
        changes.unsubscribe();
        resolve();
      };
      const cancelTimer = runtime.timer(ms, end);
      const changes = signals.changes$.subscribe((change) => {
        if (change.id === id && change.account === account) end();
      });
    });
  }
}

/** A transaction at a till as a delivery, a status read or a sweep shows it. */
export interface ObservedTransaction {
  account: string;
  via: 'callback' | 'status' | 'webhook' | 'sweep';
  transaction: Transaction;
  reversal: boolean;
  /** Id of the webhook event that showed it; null when it came from another source. */
  webhookEventId: string | null;
  /** Id of the delivery of that webhook. */
  webhookDeliveryId?: string;
  /** Whether its first observation emits a till event. An operation's own callback or status read emits none. */
  announce: boolean;
  /** The claimed delivery that showed it. The commit of the observation finishes it. */
  finishes?: Claim;
  /** The delivery that showed it, if it is not stored yet. The commit of the observation stores it. */
  arriving?: ArrivingDelivery;
}

/**
 * What became of an observation: `unnamed`, when the transaction has neither reference nor id, or has no till; `known`, when it says
 * nothing new; `committed`.
 */
export type Observation = 'unnamed' | 'known' | 'committed';

/** Stores observed transactions. `tills/` implements it, because it emits the till events. */
export abstract class TransactionObserver {
  abstract observe(observed: ObservedTransaction): Promise<Observation>;
}
