import { Injectable } from '@nestjs/common';
import { ArrivingDelivery, StoredFirst } from '../ledger/arriving-delivery.js';
import { KnownRecords } from '../ledger/known-records.js';
import { LedgerCommits } from '../ledger/ledger-commits.js';
import { LedgerSignals } from '../ledger/ledger-signals.js';
import { StoreUnavailableError } from '../payments.errors.js';
import type { CommitWithDelivery } from '../store/ledger.store.js';
import type { NewDelivery } from '../store/new-delivery.js';
import { OperationsStore } from '../store/operations.store.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { Runtime } from '../work/runtime.js';
import { SafeLogger } from '../work/safe-logger.js';
import type { Message } from './delivery-parser.js';
import { MessageApplier } from './message-applier.js';

/** So long a delivery waits in all: a row that another transaction holds, or a store that hangs, must not keep it from being stored. */
const LONGEST_WAIT_MS = 250;

/**
 * Applies deliveries before they are stored, so that one commit does both. Nothing here is a promise: what cannot be applied in one commit is
 * stored, and applied then. So a fault here loses no delivery.
 */
@Injectable()
export class Arrivals {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly applier: MessageApplier,
    private readonly records: KnownRecords,
    private readonly operations: OperationsStore,
    private readonly commits: LedgerCommits,
    private readonly signals: LedgerSignals,
    private readonly accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {}

  /**
   * What has become of a delivery; undefined when it is not stored.
   * @throws StoreUnavailableError when its commit failed
   */
  async apply(delivery: NewDelivery, message: Message): Promise<CommitWithDelivery | undefined> {
    // Without a signature, the platform must confirm the delivery.
    if (delivery.verifiedBy !== 'signature') return undefined;
    const { records, operations, commits, signals, runtime } = this;
    const { tillAliases } = this.accounts.of(delivery.account);
    const parts = { records, operations, commits, signals, tillAliases, runtime };
    const arriving = new ArrivingDelivery(delivery, parts);
    const applied = this.applyOnce(delivery, message, arriving);
    if (await runtime.endsWithin(applied, LONGEST_WAIT_MS)) return arriving.result;
    if (!arriving.endWaits()) return undefined;
    await applied;
    return arriving.result;
  }

  private async applyOnce(
    delivery: NewDelivery,
    message: Message,
    arriving: ArrivingDelivery,
  ): Promise<void> {
    const { account, kind, id } = delivery;
    try {
      await this.applier.apply({ ...delivery, ageMs: 0, arriving }, message);
    } catch (error) {
      if (error instanceof StoredFirst) return;
      if (error instanceof StoreUnavailableError && arriving.hasBegunCommit) throw error;
      this.logger.seldom(
        'error',
        'not applied',
        `a ${kind} could not be applied at once, and is to be stored first: ${String(error)}`,
        { account, deliveryId: id },
        error instanceof Error ? error.stack : undefined,
      );
    }
  }
}
