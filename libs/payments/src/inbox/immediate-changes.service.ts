import { Injectable } from '@nestjs/common';
import { KnownRecords } from '../ledger/known-records.js';
import type { PreparedChange } from '../ledger/ledger-commits.js';
import type { NewDelivery } from '../store/new-delivery.js';
import type { Operation } from '../store/operation.js';
import type { OperationRecord } from '../store/operation-forms.js';
import { minorOf, payerOf } from '../ledger/transaction-changes.js';
import { isOwnTill, isSameTill } from '../money/till-number.js';
import { KnownAccounts } from '../work/known-accounts.js';
import type { Transaction } from '../money/transaction.js';
import { Runtime } from '../work/runtime.js';
import { SafeLogger } from '../work/safe-logger.js';
import { OperationEvidenceService } from '../ledger/operation-evidence.service.js';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import { OperationsStore } from '../store/operations.store.js';
import { CallbackUrls } from '../work/callback-urls.js';
import { OperationKinds, type OperationKind } from '../ledger/operation.kind.js';
import { differencesOf } from '../ledger/transaction-differences.js';
import { ownerIdOf } from '../money/transaction.record.js';
import type { LedgerChange } from '../store/ledger.store.js';
import { observedChange } from '../tills/observed-changes.js';
import { moneyKey, sumOf, type MoneyKey } from '../money/transaction-sameness.js';
import { handedOutId } from './callback-id.js';
import type { Message } from './delivery-parser.js';

type TransactionMessage = Message & { kind: 'transaction' };

/** Commits that a delivery waits for, one after the other, before it is processed in the usual way. */
const MOST_WAITS = 4;

/** So long it waits in all: a row that another transaction holds, or a store that hangs, must not keep the delivery from being stored. */
const LONGEST_WAIT_MS = 250;

/** What this process knows about a delivery without a read. */
type ImmediateChange =
  /** What the delivery changes. The commit refuses it if another process has changed something. */
  | { kind: 'change'; prepared: PreparedChange }
  /** A commit that is under way changes what the delivery is about: ask again after it. */
  | { kind: 'changing'; until: Promise<unknown> };

/**
 * Finds what a delivery changes from what this process wrote last. Most results come to the process that sent the create, within
 * minutes. Nothing here is a promise: without an answer, the delivery is processed in the usual way, with reads. So nothing is thrown: a
 * fault here must not lose a delivery.
 */
@Injectable()
export class ImmediateChangesService {
  private readonly logger = new SafeLogger();
  /** Messages that could not be judged. They are not judged again. */
  private readonly faulty = new WeakSet<Message>();

  constructor(
    private readonly records: KnownRecords<OperationRecord>,
    private readonly operationsStore: OperationsStore<OperationRecord>,
    private readonly kinds: OperationKinds,
    private readonly evidence: OperationEvidenceService,
    private readonly urls: CallbackUrls,
    private readonly accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {}

  /**
   * What a delivery changes: now, or after the commits that are under way. Undefined when this process cannot say.
   * @param waitMs how long a webhook may wait for the result of its payment
   */
  async changeOf(
    delivery: NewDelivery,
    message: Message,
    waitMs = 0,
  ): Promise<PreparedChange | undefined> {
    const change = this.changeAfterWaits(delivery, message, waitMs);
    return (await this.runtime.endsWithin(change, LONGEST_WAIT_MS)) ? change : undefined;
  }

  private async changeAfterWaits(
    delivery: NewDelivery,
    message: Message,
    waitMs: number,
  ): Promise<PreparedChange | undefined> {
    try {
      const until = this.runtime.elapsed() + waitMs;
      for (let waits = 0; waits < MOST_WAITS; waits += 1) {
        const immediate = this.canJudge(delivery, message) ? this.find(delivery, message) : null;
        if (immediate?.kind === 'change') return immediate.prepared;
        if (immediate) await immediate.until;
        else if (!(await this.learns(delivery, message, until - this.runtime.elapsed())))
          return undefined;
      }
    } catch (error) {
      this.faultIn(delivery, message, error);
    }
    return undefined;
  }

  /** Whether this process may know more now: of a webhook after the result of its payment, of a result after a read. */
  private async learns(delivery: NewDelivery, message: Message, waitMs: number): Promise<boolean> {
    if (!this.canJudge(delivery, message)) return false;
    if (message.kind === 'result') return this.readOperationOf(delivery.account, message.resource);
    const isMoney = waitMs > 0 && message.kind === 'transaction';
    const expected = isMoney && this.expectedOwner(delivery.account, message);
    if (expected) await this.nextChangeOf(expected, waitMs);
    return Boolean(expected);
  }

  /**
   * Reads the operation whose callback URL a result repeats, if this process does not know it: another process has sent it, or this
   * one before a restart. To read first and store once costs less than to store twice. Whether it is known now.
   */
  private async readOperationOf(
    account: string,
    { type, links }: ResourceEnvelope,
  ): Promise<boolean> {
    const kind = this.kinds.ofWireType(type);
    const id = kind && this.ownIdIn(account, kind, links.callbackUrl);
    if (!id || this.records.operation(account, id)) return false;
    const operation = await this.operationsStore.find(account, id);
    if (operation && !this.records.operation(account, id)) this.records.keep(operation);
    return operation !== null;
  }

  /** The id in a callback URL of ours that a signed result repeats. */
  private ownIdIn(account: string, kind: OperationKind, callbackUrl: string | null): string | null {
    return handedOutId(this.urls, account, kind.callbackResource, callbackUrl, true);
  }

  /** Resolves after the next change of an operation in this process, or after `ms` milliseconds. */
  private nextChangeOf(operation: Operation, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancelTimer();
        cancelWait();
        resolve();
      };
      const cancelTimer = this.runtime.timer(ms, end);
      const cancelWait = this.records.afterChange(operation, end);
    });
  }

  private canJudge({ verifiedBy }: NewDelivery, message: Message): boolean {
    // Without a signature, the platform must confirm the delivery.
    return verifiedBy === 'signature' && !this.faulty.has(message);
  }

  private faultIn({ account, kind, id }: NewDelivery, message: Message, error: unknown): void {
    this.faulty.add(message);
    this.logger.seldom(
      'error',
      'not applied',
      `a ${kind} could not be applied at once, and is processed in the usual way: ${String(error)}`,
      { account, deliveryId: id },
      error instanceof Error ? error.stack : undefined,
    );
  }

  private find(delivery: NewDelivery, message: Message): ImmediateChange | null {
    if (message.kind === 'result') return this.ofResult(delivery.account, message.resource);
    return message.kind === 'transaction' ? this.ofTransaction(delivery, message) : null;
  }

  private ofResult(account: string, envelope: ResourceEnvelope): ImmediateChange | null {
    const kind = this.kinds.ofWireType(envelope.type);
    if (!kind) return null;
    const shown = kind.show(envelope);
    let operation = this.records.operationWithPlatformId(account, kind.name, shown.platformId);
    const ownId = operation ? null : this.ownIdIn(account, kind, shown.callbackUrl);
    if (ownId !== null) operation = this.records.operation(account, ownId);
    if (operation?.kind !== kind.name) return null;
    if ((operation.platformId ?? shown.platformId) !== shown.platformId) return null;
    const until = this.records.changingOperation(account, operation.id);
    if (until) return { kind: 'changing', until };
    const money = shown.transaction && moneyKey(shown.transaction);
    const record = money && this.records.transaction(account, money.reference);
    const prepared = this.evidence.immediateChange(operation, shown, record);
    return prepared && { kind: 'change', prepared };
  }

  private ofTransaction(
    { account, id }: NewDelivery,
    message: TransactionMessage,
  ): ImmediateChange | null {
    const key = this.keyOf(account, message);
    if (!key) return null;
    const until = this.records.changingTransaction(account, key.reference);
    if (until) return { kind: 'changing', until };
    const change = this.changeBy(account, key, message, id);
    if (change) return { kind: 'change', prepared: { change } };
    const owner = this.ownerOf(account, key, message.transaction);
    const changing = owner && this.records.changingOperation(account, owner.id);
    return changing && { kind: 'changing', until: changing };
  }

  /**
   * What received money changes, if nothing has to be read for it: this process knows its record, and it belongs to somebody. Null otherwise, and when
   * it says nothing new.
   */
  private changeBy(
    account: string,
    key: MoneyKey,
    { transaction, reversal, eventId }: TransactionMessage,
    webhookDeliveryId: string,
  ): LedgerChange | null {
    const settings = this.accounts.of(account);
    const { tillAliases, isRemoved } = settings;
    // Only the store knows who has the till of a removed account by now.
    if (isRemoved) return null;
    const record = this.records.transaction(account, key.reference);
    const sum = sumOf(record, key, tillAliases);
    // The state of the operation matters only after a reversal, and its amount only if a person named the transaction.
    if (!sum?.received || sum.reversal || ownerIdOf(sum) === null) return null;
    if (differencesOf(record, key, transaction, tillAliases).length > 0) return null;
    const announce = isOwnTill(settings, key.till) && minorOf(transaction) !== null;
    const webhook = { webhookEventId: eventId, webhookDeliveryId };
    const observed = {
      account,
      via: 'webhook',
      transaction,
      reversal,
      announce,
      ...webhook,
    } as const;
    return observedChange(key, record, null, observed, tillAliases, this.kinds);
  }

  private expectedOwner(account: string, message: TransactionMessage): Operation | null {
    const key = this.keyOf(account, message);
    if (!key || this.records.changingTransaction(account, key.reference)) return null;
    const owner = this.ownerOf(account, key, message.transaction);
    return owner && !this.records.changingOperation(account, owner.id) ? owner : null;
  }

  /** The key of received money; null for a reversal, and for money so old that retention may have deleted its record. */
  private keyOf(
    account: string,
    { transaction, reversal, at }: TransactionMessage,
  ): MoneyKey | null {
    const { dedupeForMs } = this.accounts.of(account).retention;
    if (reversal || at === null || this.runtime.now() - at.getTime() > dedupeForMs) return null;
    return moneyKey(transaction);
  }

  /** The open operation that will probably own a transaction; null when it has a record, which says whose it is. */
  private ownerOf(account: string, key: MoneyKey, transaction: Transaction): Operation | null {
    if (this.records.transaction(account, key.reference)) return null;
    const amountMinor = minorOf(transaction);
    const payerHash = payerOf(transaction);
    const { currency } = transaction;
    if (amountMinor === null || currency === null || payerHash === null) return null;
    const { tillAliases } = this.accounts.of(account);
    const open = this.records.openOperations({ account, currency, amountMinor, payerHash });
    return open.find(({ tills }) => isSameTill(key.till, tills, tillAliases)) ?? null;
  }
}
