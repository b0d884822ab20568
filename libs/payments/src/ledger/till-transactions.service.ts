import { Inject, Injectable } from '@nestjs/common';
import { PlatformClock } from '../http/platform.clock.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { isSameTill } from '../values/till-number.js';
import { readTimestamp } from '../values/timestamp.js';
import { minorOf, payerOf, type ObservedTransaction } from './ledger.changes.js';
import { LedgerFeed } from './ledger.feed.js';
import { Ledger } from './ledger.js';
import { sendingWindow } from './match-window.js';
import type { PaymentRecord } from './payment.js';
import { isOpen } from './payment.states.js';
import { MOST_FOUND, PaymentsStore } from './payments.store.js';
import { moneyKey, ownerIdOf, sumOf, type MoneyKey } from './till-transaction.js';

/** How long the event of a transaction may wait for the payment that it may be the money of. */
const WAIT_FOR_PAYMENT_MS = 10_000;

/** Callback and webhook of one payment come within moments of each other: until then nothing is asked. */
const WAIT_FOR_CALLBACK_MS = 3_000;

/** Ages at which a transaction that waits is looked at again, in milliseconds. */
const LOOKS_MS = [400, 1_000, WAIT_FOR_CALLBACK_MS, 4_500, 6_500, WAIT_FOR_PAYMENT_MS];

/** Payments that failed or are in review, and are read because money shows up that may be theirs. */
const MOST_FOLLOWED = 5;

/** The same money makes a payment due once, however many webhooks report it. */
const HASTEN_AGAIN_MS = 86_400_000;

/** How taking a transaction ended. */
export type TakenTransaction =
  | { kind: 'taken' }
  /** It names neither a reference nor an id, or no till: it cannot be told from other money. */
  | { kind: 'nameless' }
  /** A payment that it may be the money of has no outcome yet: come again then. Meanwhile it holds nothing up. */
  | { kind: 'wait'; inMs: number };

/**
 * Takes transactions of tills from webhooks and sweeps. The event of money waits a little for the payment that may own it,
 * so that whoever hears of it knows whose it is. Nothing is read here: payments are made due for a read.
 */
@Injectable()
export class TillTransactionsService {
  constructor(
    private readonly ledger: Ledger,
    private readonly store: PaymentsStore,
    private readonly feed: LedgerFeed,
    private readonly clock: PlatformClock,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  /** @param ageMs milliseconds since it was received: after ten seconds its event waits for nothing */
  async take(observed: ObservedTransaction, ageMs: number): Promise<TakenTransaction> {
    const { transaction, reversal } = observed;
    const key = moneyKey(transaction);
    if (!key) return { kind: 'nameless' };
    const known = await this.store.findTransaction(this.options.account, key.reference);
    const sum = sumOf(known, key, this.options.tillAliases);
    const isNew = reversal ? !sum?.reversal : !sum?.announced;
    if (!reversal && isNew && !(sum && ownerIdOf(sum))) {
      const inMs = await this.lookForOwner(key, transaction, ageMs);
      if (observed.announce && inMs !== null) return { kind: 'wait', inMs };
    }
    await this.ledger.observeTransaction(observed, known);
    return { kind: 'taken' };
  }

  /**
   * Makes payments due that this may be the money of. Milliseconds until it is worth looking again, while one of them still
   * has no outcome; null when there is none, or it was waited long enough.
   */
  private async lookForOwner(
    key: MoneyKey,
    transaction: Transaction,
    ageMs: number,
  ): Promise<number | null> {
    const { candidates, areAll } = await this.candidates(key, transaction);
    const open = candidates.filter(({ state }) => isOpen(state));
    const inMs = open.length > 0 || !areAll ? untilNextLook(ageMs) : null;
    if (inMs !== null && ageMs < WAIT_FOR_CALLBACK_MS) return inMs;
    // Money that does not show who paid could be anybody's of that price.
    const read = payerOf(transaction) === null ? open.slice(0, MOST_FOLLOWED) : open;
    const followed = candidates.filter(({ state }) => !isOpen(state)).slice(0, MOST_FOLLOWED);
    const due = [...read, ...followed].map(({ id }) => id);
    if (due.length > 0) {
      await this.store.hastenPayments(this.options.account, due, {
        cause: `money ${key.reference}`,
        againAfterMs: HASTEN_AGAIN_MS,
      });
      this.feed.due$.next();
    }
    return inMs;
  }

  /** Payments that could own it: sent in its time, of its amount, till and payer. */
  private async candidates(
    { till }: MoneyKey,
    transaction: Transaction,
  ): Promise<{ candidates: PaymentRecord[]; areAll: boolean }> {
    const amountMinor = minorOf(transaction);
    const { currency } = transaction;
    if (amountMinor === null || currency === null) return { candidates: [], areAll: true };
    const originatedAt = readTimestamp(transaction.originationTime) ?? this.clock.now();
    const found = await this.store.findCandidates(this.options.account, {
      currency,
      amountMinor,
      payerHash: payerOf(transaction),
      ...sendingWindow(originatedAt),
    });
    const candidates = found.filter(
      ({ tills, transaction: own }) =>
        own === null && isSameTill(till, tills, this.options.tillAliases),
    );
    return { candidates, areAll: found.length < MOST_FOUND };
  }
}

function untilNextLook(ageMs: number): number | null {
  const next = LOOKS_MS.find((age) => age > ageMs);
  return next === undefined ? null : next - ageMs;
}
