import { Injectable } from '@nestjs/common';
import { PlatformClocks } from '../platform/platform-clock.js';
import { LedgerSignals } from '../ledger/ledger-commits.js';
import { hasPlatformId } from '../ledger/operation-evidence.service.js';
import { isDecidable, isOpen } from '../ledger/operation-states.js';
import { OperationsStore } from '../store/operations.store.js';
import { payerHashOf, type OperationRecord } from '../operations/operation-forms.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import { ownerIdOf, type Transaction, type TransactionSum } from '../money/transaction.js';
import { DAY, SECOND } from '../runtime/clock.js';
import type { ArrivingDelivery, ObservedTransaction } from '../ledger/arriving-delivery.js';
import { payerOf } from '../ledger/transaction-changes.js';
import {
  isCrowded,
  minorOf,
  moneyKey,
  type MoneyKey,
  nameOf,
  sumOf,
} from '../money/transaction-sameness.js';
import { MOST_FOUND, TransactionsStore } from '../store/transactions.store.js';
import { isSameTill } from '../money/till-number.js';
import { readTimestamp } from '../money/timestamp.js';
import { isWithin, sendingWindow, withOpen, type MoneyWindow } from './match-window.js';
import { isInSpan } from './swept-lists.js';
import { OwnTills, TillLedger } from './till-ledger.js';

/** Callback and webhook of one payment arrive almost together: we read nothing before this age. */
export const WAIT_FOR_CALLBACK_MS = 3 * SECOND;

/** The same transaction or callback makes an operation due once in this time, however often the platform reports it. */
export const DUE_AGAIN_MS = DAY;

/** Ages at which a transaction whose operation has no outcome yet is processed again. */
const RETRY_AT_MS = [400, SECOND, 3 * SECOND, 4_500, 6_500, 10 * SECOND];

/** Most payments of one group that are made due for one transaction. */
const MOST_FOLLOWED = 5;

export type ObserveOutcome =
  /** `isFinished`: its commit has finished the delivery. */
  | { kind: 'applied'; isFinished: boolean }
  /** The transaction has neither reference nor id, or has no till, so it cannot be identified. */
  | { kind: 'unnamed' }
  /** A payment that may own the transaction has no outcome yet: observe it again after `inMs` milliseconds. */
  | { kind: 'wait'; inMs: number };

/**
 * Applies transactions at tills, from webhooks and sweeps. The till event waits a short time for the payment that may own the
 * transaction, so that the event can name it. This service reads no payment; it makes payments due for a read.
 */
@Injectable()
export class TillTransactionsService {
  constructor(
    private readonly ledger: TillLedger,
    private readonly transactionsStore: TransactionsStore,
    private readonly operationsStore: OperationsStore<OperationRecord>,
    private readonly signals: LedgerSignals,
    private readonly clocks: PlatformClocks,
    private readonly ownTills: OwnTills,
    private readonly accounts: AccountRegistry,
  ) {}

  /**
   * True when a transaction concerns an account: its till is one of the account, or an operation of the account has it or may have it. The
   * account may list fewer tills than at the time of the operation.
   */
  async concerns(account: string, transaction: Transaction): Promise<boolean> {
    if (await this.ownTills.has(account, transaction.tillNumber)) return true;
    const key = moneyKey(transaction);
    if (!key) return true;
    const record = await this.transactionsStore.find(account, key.reference);
    const sum = sumOf(record, key, this.accounts.settings(account).tillAliases);
    if (sum && ownerIdOf(sum) !== null) return true;
    return (await this.candidates(account, key, transaction)).candidates.length > 0;
  }

  /**
   * True when other reports name what a list leaves out of a transaction: whose money it is, or its amount and a time in the span of the
   * list.
   */
  async isKnownElsewhere(
    account: string,
    transaction: Transaction,
    span: MoneyWindow,
  ): Promise<boolean> {
    const reference = nameOf(transaction);
    const record = reference && (await this.transactionsStore.find(account, reference));
    const isRead = (sum: TransactionSum): boolean =>
      sum.received !== null &&
      sum.amountMinor !== null &&
      sum.originatedAt !== null &&
      isInSpan(sum.originatedAt, span);
    return record
      ? record.sums.length > 0 && record.sums.every((sum) => ownerIdOf(sum) !== null || isRead(sum))
      : false;
  }

  /** @param ageMs milliseconds since the transaction was received; after ten seconds its event waits no longer */
  async observe(observed: ObservedTransaction, ageMs: number): Promise<ObserveOutcome> {
    const { account, transaction, reversal } = observed;
    const key = moneyKey(transaction);
    if (!key) return { kind: 'unnamed' };
    const record = await this.transactionsStore.find(account, key.reference);
    const { tillAliases } = this.accounts.settings(account);
    if (isCrowded(record, key, tillAliases)) return { kind: 'unnamed' };
    const sum = sumOf(record, key, tillAliases);
    const isNew = reversal ? !sum?.reversal : !sum?.announced;
    if (!reversal && isNew && !(sum && ownerIdOf(sum))) {
      const inMs = await this.waitForOwner(account, key, transaction, ageMs);
      if (observed.announce && inMs !== null) {
        // The transaction is stored without an event, so that an operation that fails meanwhile can name it. At a lower age the callback of its
        // payment is on its way.
        if (!sum && ageMs >= WAIT_FOR_CALLBACK_MS) {
          const { finishes: _, ...kept } = observed;
          await this.ledger.observe({ ...kept, announce: false }, record);
        }
        return { kind: 'wait', inMs };
      }
    }
    const observation = await this.ledger.observe(observed, record);
    const isFinished = observation === 'committed' && observed.finishes !== undefined;
    return { kind: 'applied', isFinished, ...(record?.redacted && { isDeleted: true }) };
  }

  /** Observes money that a delivery shows before it is stored, if this process knows whose it is. If not, nothing happens. */
  async observeAtOnce(observed: ObservedTransaction, arriving: ArrivingDelivery): Promise<void> {
    const key = moneyKey(observed.transaction);
    const record = key && (await arriving.transaction(key.reference));
    if (!record || record.redacted) return;
    const { tillAliases } = this.accounts.settings(observed.account);
    const sum = sumOf(record, key, tillAliases);
    // No commit compares the owner as it is known here. It matters after a reversal, if a person has named the transaction, and while no amount was read.
    const isRead = sum?.received != null && minorOf(sum.received) !== null;
    if (!isRead || sum.reversal || ownerIdOf(sum) === null) return;
    await this.ledger.observeAtOnce(observed, record, key, arriving);
  }

  /**
   * Makes payments due that may own a transaction. Resolves with the milliseconds until the next observation while one of them
   * has no
   * outcome; with null when all have one, or the transaction has waited long enough.
   */
  private async waitForOwner(
    account: string,
    key: MoneyKey,
    transaction: Transaction,
    ageMs: number,
  ): Promise<number | null> {
    const { candidates, areAll } = await this.candidates(account, key, transaction);
    const open = candidates.filter(mayTakeMoney);
    const inMs = open.length > 0 || !areAll ? untilNextRetry(ageMs) : null;
    if (inMs !== null && ageMs < WAIT_FOR_CALLBACK_MS) return inMs;
    // A transaction without a payer may belong to any payment of its amount, so only a few are read; likewise of the links that anybody may pay.
    const links = open.filter(({ kind }) => kind === 'payment_link').slice(0, MOST_FOLLOWED);
    const payments = open.filter(({ kind }) => kind !== 'payment_link');
    const read = [
      ...(payerOf(transaction) === null ? payments.slice(0, MOST_FOLLOWED) : payments),
      ...links,
    ];
    const followed = candidates
      .filter((candidate) => !mayTakeMoney(candidate))
      .slice(0, MOST_FOLLOWED);
    const due = [...read, ...followed].map(({ id }) => id);
    if (due.length > 0) {
      await this.operationsStore.makeDue(account, due, {
        cause: `money ${key.reference}`,
        againAfterMs: DUE_AGAIN_MS,
      });
      this.signals.due$.next();
    }
    return inMs;
  }

  /** Returns payments that may own a transaction by time, amount, till and payer. `areAll` is false when the search may have more. */
  private async candidates(
    account: string,
    { till }: MoneyKey,
    transaction: Transaction,
  ): Promise<{ candidates: OperationRecord[]; areAll: boolean }> {
    const amountMinor = minorOf(transaction);
    const { currency } = transaction;
    if (amountMinor === null || currency === null) return { candidates: [], areAll: true };
    const payer = payerOf(transaction);
    const now = this.clocks.clock(account).now();
    const window = sendingWindow(readTimestamp(transaction.originationTime) ?? now);
    // A hash that the platform sends can prove a payer, and rules out none.
    const payerHash = transaction.senderPhoneNumber === null ? null : payer;
    // An open payment of this payer can be asked whether the money is its, whatever the time of the money says.
    const searched = payerHash === null ? window : withOpen(window, now);
    const query = { currency, amountMinor, payerHash, ...searched };
    const found = await this.operationsStore.findCandidates(account, query);
    const { tillAliases } = this.accounts.settings(account);
    const atTill = found.filter(
      ({ tills, transaction: own }) => own === null && isSameTill(till, tills, tillAliases),
    );
    const inWindow = atTill.filter((operation) => isWithin(operation, window));
    const isAsked = (operation: OperationRecord): boolean =>
      isOpen(operation.state) && hasPlatformId(operation) && operation.kind !== 'payment_link';
    const possible = inWindow.some(({ state }) => isOpen(state))
      ? inWindow
      : atTill.filter((operation) => inWindow.includes(operation) || isAsked(operation));
    const proven = possible.filter((operation) => payerHashOf(operation) === payer);
    const candidates = payer !== null && proven.length > 0 ? proven : possible;
    return { candidates, areAll: found.length < MOST_FOUND };
  }
}

/**
 * True when a read may show that money belongs to an operation, which its till event then names: the operation is open, or in a review that
 * proof settles.
 */
function mayTakeMoney(operation: OperationRecord): boolean {
  return isOpen(operation.state) || (hasPlatformId(operation) && isDecidable(operation));
}

function untilNextRetry(ageMs: number): number | null {
  const next = RETRY_AT_MS.find((age) => age > ageMs);
  return next === undefined ? null : next - ageMs;
}
