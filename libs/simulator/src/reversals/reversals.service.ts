import { tillAccount } from '../balances/account.name.js';
import type { Books } from '../balances/books.service.js';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { MerchantDeliveries } from '../deliveries/deliveries.service.js';
import type { NewDelivery } from '../deliveries/delivery.record.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import type { FaultInjector } from '../faults/faults.service.js';
import { endAsScenario } from '../payouts/payout.ending.js';
import {
  describePayoutScenario,
  INSUFFICIENT_BALANCE,
} from '../payouts/payout-scenarios.constants.js';
import type { PayoutScenarios } from '../payouts/payout-scenarios.service.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { SimulatorTimings } from '../simulator.options.js';
import type { TillMoney } from '../transactions/till-money.service.js';
import type { Transaction, TransactionsStore } from '../transactions/transactions.store.js';
import { minorUnits } from '../values/amount.js';
import { REVERSALS_PATH, reversalResource } from './reversal.resource.js';
import type { CreateReversalBody, Reversal, ReversalsStore } from './reversals.store.js';

/** How long after a payment the platform gives its money back. */
const REVERSIBLE_MS = 30 * 86_400_000;

/** Gives the money of transactions back, and delivers the results. */
export class Reversals {
  constructor(
    private readonly store: ReversalsStore,
    private readonly transactions: TransactionsStore,
    private readonly scenarios: PayoutScenarios,
    private readonly books: Books,
    private readonly money: TillMoney,
    private readonly clock: SimulatedClock,
    private readonly timings: SimulatorTimings,
    private readonly deliveries: MerchantDeliveries,
    private readonly faults: FaultInjector,
    private readonly baseUrl: () => string,
  ) {}

  find(id: string): Reversal | undefined {
    return this.store.find(id);
  }

  /** The transaction that a request names. @throws Refusal 400 if it cannot be reversed */
  reversible({ transaction_reference: reference }: CreateReversalBody): Transaction {
    const transaction = this.transactions.find(reference);
    if (!transaction || this.clock.now() - transaction.originatedAt > REVERSIBLE_MS)
      throw new Refusal(400, 'Transaction reference invalid');
    if (transaction.reversed) throw new Refusal(400, [`${CANNOT} Reversed`]);
    if (isOpen(this.store.latestOf(reference)))
      throw new Refusal(400, [`${CANNOT} Pending Reversal`]);
    return transaction;
  }

  create(request: CreateReversalBody, transaction: Transaction): Reversal {
    const { kind, phoneNumber, sendingTill } = transaction;
    const number = kind === 'buygoods' ? phoneNumber : sendingTill!;
    return this.store.add({
      request,
      transaction,
      scenario: this.scenarios.nameFor(number),
      createdAt: this.clock.now(),
    });
  }

  /**
   * Carries the request out: Received, Scheduled, Processed, then the payment to the customer.
   *
   * @param atOnce without the usual delays
   * @returns after the first attempts to deliver what was not delayed by a scenario
   */
  async carryOut(reversal: Reversal, atOnce = false): Promise<void> {
    const { payoutScheduling, payoutProcessing, disbursement } = this.timings;
    const pause = (ms: number) => (atOnce ? Promise.resolve() : this.clock.wait(ms));
    if (reversal.status === 'Received') {
      await pause(payoutScheduling);
      reversal.status = 'Scheduled';
      const { account, currency, amount } = moneyOf(reversal);
      reversal.isReserved = this.books.reserve(account, currency, amount);
    }
    if (reversal.status === 'Scheduled') {
      await pause(payoutProcessing);
      reversal.status = 'Processed';
      reversal.bulkPayment = {
        status: 'Pending',
        originatedAt: this.clock.now(),
        reference: null,
      };
    }
    const deliveries = [this.deliverResult(reversal)];
    await pause(disbursement);
    if (this.finish(reversal)) deliveries.push(this.deliverResult(reversal));
    await Promise.all(deliveries);
  }

  /** Goes on with the reversals of a platform that has stopped. */
  resume(): void {
    for (const reversal of this.store.open()) void this.carryOut(reversal);
  }

  /** The JSON text of the resource, with faults. */
  read(reversal: Reversal, subject: FaultSubject): string {
    const status = this.faults.inject('unknown-status', subject);
    const self = `${this.baseUrl()}${REVERSALS_PATH}/${reversal.id}`;
    return JSON.stringify(
      reversalResource(reversal, self, {
        ...(status ? { status: status.paymentStatus! } : {}),
        unknownField: this.faults.inject('unknown-field', subject) !== null,
        numberAmounts: this.faults.inject('number-amounts', subject) !== null,
        stringErrors: this.faults.inject('string-errors', subject) !== null,
      }),
    );
  }

  /** Lets the payment end as the scenario of the customer says. @returns whether the resource changed */
  private finish(reversal: Reversal): boolean {
    const money = {
      ...reversal,
      pay: () => this.pay(reversal),
      cancel: (error: string) => this.cancel(reversal, error),
      takeBack: () => this.takeBack(reversal),
    };
    return endAsScenario(money, this.timings, (delayMs, change) =>
      this.later(reversal, delayMs, change),
    );
  }

  private pay(reversal: Reversal): boolean {
    const { transaction, bulkPayment } = reversal;
    const { account, currency, amount } = moneyOf(reversal);
    this.release(reversal);
    // Somebody else may have reversed it meanwhile, or the till may have paid the money out.
    if (transaction.reversed || this.books.available(account, currency) < amount)
      return reversal.errors === null && this.cancel(reversal, INSUFFICIENT_BALANCE);
    const { outcome, status, error } = describePayoutScenario(reversal.scenario);
    const reference = this.transactions.newReference();
    this.money.giveBack(transaction, 'refund', reference);
    reversal.isPaid = true;
    bulkPayment!.reference = reference;
    bulkPayment!.originatedAt = this.clock.now();
    bulkPayment!.status = status ?? 'Transferred';
    reversal.errors = error !== undefined && outcome === 'transferred' ? [error] : null;
    void this.money.sendReversedWebhooks(transaction);
    return true;
  }

  private takeBack(reversal: Reversal): boolean {
    const { transaction, bulkPayment } = reversal;
    const { account, currency, amount } = moneyOf(reversal);
    if (this.books.available(transaction.payer, currency) < amount) return false;
    this.books.book({
      debit: transaction.payer,
      credit: account,
      amount,
      currency,
      why: 'payout returned',
      reference: bulkPayment!.reference,
    });
    transaction.reversed = false;
    reversal.isPaid = false;
    bulkPayment!.reference = null;
    return this.cancel(reversal, 'The customer returned the money');
  }

  private cancel(reversal: Reversal, error: string): true {
    this.release(reversal);
    reversal.bulkPayment!.status = 'Cancelled';
    reversal.errors = [error];
    return true;
  }

  private release(reversal: Reversal): void {
    if (!reversal.isReserved) return;
    const { account, currency, amount } = moneyOf(reversal);
    this.books.release(account, currency, amount);
    reversal.isReserved = false;
  }

  private later(reversal: Reversal, delayMs: number, change: () => boolean): void {
    this.clock.schedule(delayMs, () => {
      if (change()) void this.deliverResult(reversal);
    });
  }

  private async deliverResult(reversal: Reversal): Promise<void> {
    const { id, transaction, request, scenario } = reversal;
    const topic = 'reversal';
    const identity = { phone: transaction.phoneNumber, paymentId: id };
    const delivery: NewDelivery = {
      kind: 'callback',
      topic,
      url: request._links.callback_url,
      body: this.read(reversal, { delivery: 'callback', topic, ...identity }),
      ...identity,
    };
    if (describePayoutScenario(scenario).isSilent) this.deliveries.recordLost(delivery);
    else await this.deliveries.send(delivery);
  }
}

const CANNOT = 'You cannot reverse a transaction in';

/** Whether the money may still move: then the platform takes no other request for it. */
function isOpen(reversal: Reversal | undefined): boolean {
  return reversal !== undefined && (reversal.isReserved || reversal.status !== 'Processed');
}

function moneyOf({ transaction }: Reversal) {
  const { tillNumber, currency, amount } = transaction;
  return { account: tillAccount(tillNumber), currency, amount: minorUnits(amount, currency) };
}
