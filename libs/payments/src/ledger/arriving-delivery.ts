import { isSameTill, type TillAliases } from '../money/till-number.js';
import { minorOf, type MoneyKey } from '../money/transaction-sameness.js';
import type { Transaction, TransactionRecord } from '../money/transaction.js';
import { type Runtime, SECOND } from '../runtime/clock.js';
import type { Claim } from '../store/claim.js';
import type { NewDelivery } from '../store/deliveries.store.js';
import type { Committed, CommitWithDelivery, LedgerChange } from '../store/ledger.store.js';
import type { Operation, OperationKey } from '../store/operation.js';
import type { OperationsStore } from '../store/operations.store.js';
import type { RecentRecords } from './recent-records.js';
import type { LedgerCommits, LedgerSignals } from './ledger-commits.js';
import { payerOf } from './transaction-changes.js';

/**
 * A process may work on a delivery this long. It is short: when the answer to a claim is lost with the connection, no process works on the
 * delivery until this ends.
 */
export const DELIVERY_LEASE_MS = 30 * SECOND;

/**
 * A webhook waits this long for the callback of its payment before it is stored and answered: both come almost together, and after the callback the
 * webhook is stored and processed in one commit.
 */
const CALLBACK_FIRST_MS = 200;

/** Commits that a delivery waits for, one after the other, before it is stored. */
const MOST_WAITS = 4;

interface ArrivingDeliveryParts {
  records: RecentRecords;
  operations: OperationsStore;
  commits: LedgerCommits;
  signals: LedgerSignals;
  tillAliases: TillAliases;
  runtime: Runtime;
}

/**
 * A signed delivery that is not stored yet. The ordinary rules apply it to the records that this process wrote last, and one commit stores it and
 * what it changes: most results come to the process that sent the create, within minutes. Nothing but this commit may write. Without a commit
 * nobody has checked that our copy is current, so we store the delivery and apply it again with reads. A refused commit has stored it.
 */
export class ArrivingDelivery {
  /** The result of its commit; undefined while it is not stored. */
  result: CommitWithDelivery | undefined;
  hasBegunCommit = false;
  private isTooLate = false;
  private waits = 0;

  constructor(
    private readonly delivery: NewDelivery,
    private readonly parts: ArrivingDeliveryParts,
  ) {}

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

  /** True when this process knows the money that a webhook reports. It waits for the result of the operation that will own it. */
  async isKnown(key: MoneyKey, transaction: Transaction): Promise<boolean> {
    const { runtime } = this.parts;
    const until = runtime.elapsed() + CALLBACK_FIRST_MS;
    while (!(await this.transaction(key.reference))) {
      const owner = this.ownerOf(key, transaction);
      const leftMs = until - runtime.elapsed();
      if (!owner || leftMs <= 0 || this.isLate) return false;
      if (this.changing(owner)) await this.untilUnchanging(() => this.changing(owner));
      else await this.nextChangeOf(owner, leftMs);
    }
    return true;
  }

  /**
   * Commits what the delivery changes, and stores it with that. Null when there is no time left, or when the commit was refused.
   * @param after the operation after the change
   */
  async commit(change: LedgerChange, after?: (at: Date) => Operation): Promise<Committed | null> {
    if (this.isLate) return null;
    this.hasBegunCommit = true;
    const { commits } = this.parts;
    this.result = await commits.commitWithDelivery(change, after, this.delivery, DELIVERY_LEASE_MS);
    return this.result.kind === 'committed' ? this.result : null;
  }

  /** Others wait for the answer, or too many commits were waited for. */
  private get isLate(): boolean {
    return this.isTooLate || this.waits > MOST_WAITS;
  }

  private async untilUnchanging(commit: () => Promise<unknown> | null): Promise<void> {
    for (let under = commit(); under; under = commit()) {
      this.waits += 1;
      // We begin no commit after this: what it would read may be old by now.
      if (this.isLate) return;
      await under;
    }
  }

  private changing({ account, id }: OperationKey): Promise<unknown> | null {
    return this.parts.records.changingOperation(account, id);
  }

  /** Returns the open operation that will probably own a transaction. It says only what is waited for, never whose the money is. */
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
  /** True when its first observation emits a till event. An operation's own callback or status read emits none. */
  announce: boolean;
  /** The claimed delivery that showed it. The commit of the observation finishes it. */
  finishes?: Claim;
}

/**
 * The result of an observation. `unnamed`: the transaction has neither reference nor id, or has no till. `known`: it says nothing new.
 * `committed`: it is stored.
 */
export type Observation = 'unnamed' | 'known' | 'committed';

/** Stores observed transactions. `tills/` implements it, because it emits the till events. */
export abstract class TransactionObserver {
  abstract observe(observed: ObservedTransaction): Promise<Observation>;
}
