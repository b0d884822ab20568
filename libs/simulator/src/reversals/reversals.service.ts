import { tillAccount } from '../balances/account-name.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import { MoneyOut, reportOfPaid } from '../payouts/money-out.service.js';
import { INSUFFICIENT_BALANCE } from '../payouts/payout-scenarios.constants.js';
import { Refusal } from '../server/platform-answer.dto.js';
import { ResourceWriter } from '../server/resource-writer.js';
import type { TillMoney } from '../transactions/till-money.service.js';
import type { Transaction, TransactionsStore } from '../transactions/transactions.store.js';
import { minorUnits } from '../values/amount.js';
import type { ItemStore } from '../values/item.store.js';
import { isOpenReversal, type CreateReversalBody, type Reversal } from './reversal.record.js';
import { REVERSAL } from './reversal.resource.js';

/** The platform gives the money of a payment back within this time after it. */
const REVERSIBLE_MS = 30 * 86_400_000;

/** Gives the money of transactions back. A reversal is one part: the payment to the customer. */
export class Reversals extends MoneyOut<Reversal, Reversal> {
  private readonly writer: ResourceWriter<Reversal>;

  constructor(
    context: MerchantContext,
    readonly store: ItemStore<Reversal>,
    private readonly transactions: TransactionsStore,
    private readonly money: TillMoney,
  ) {
    super(context);
    this.writer = new ResourceWriter(context, REVERSAL);
  }

  /** Returns the transaction that a request names. @throws Refusal 400 if it cannot be reversed */
  reversible({ transaction_reference: reference }: CreateReversalBody): Transaction {
    const transaction = this.transactions.findByReference(reference);
    if (!transaction || this.context.clock.now() - transaction.originatedAt > REVERSIBLE_MS)
      throw new Refusal(400, 'Transaction reference invalid');
    if (transaction.reversed) throw new Refusal(400, [`${CANNOT} Reversed`]);
    const isPending = this.store
      .all()
      .some((one) => one.transaction === transaction && mayMove(one));
    if (isPending) throw new Refusal(400, [`${CANNOT} Pending Reversal`]);
    return transaction;
  }

  create(request: CreateReversalBody, transaction: Transaction): Reversal {
    const { kind, phoneNumber, sendingTill } = transaction;
    const number = kind === 'buygoods' ? phoneNumber : sendingTill!;
    return this.store.add({
      request,
      transaction,
      scenario: this.context.payoutScenarios.nameFor(number),
      createdAt: this.context.clock.now(),
      status: 'Received',
      bulkPayment: null,
      errors: null,
      isReserved: false,
      isPaid: false,
    });
  }

  /** Continues the reversals of a platform that has stopped. */
  resume(): void {
    for (const one of this.store.all()) if (isOpenReversal(one)) void this.carryOut(one);
  }

  writerOf(): ResourceWriter<Reversal> {
    return this.writer;
  }

  protected partsOf(reversal: Reversal): readonly Reversal[] {
    return [reversal];
  }

  protected schedule(reversal: Reversal): void {
    const { account, currency, amount } = moneyOf(reversal);
    reversal.isReserved = this.context.books.reserve(account, currency, amount);
  }

  protected process(reversal: Reversal): void {
    const originatedAt = this.context.clock.now();
    reversal.bulkPayment = { status: 'Pending', originatedAt, reference: null };
  }

  protected pay(reversal: Reversal): boolean {
    const { transaction } = reversal;
    const { account, currency, amount } = moneyOf(reversal);
    this.release(reversal);
    // Another request may have reversed it meanwhile, or the till may have paid the money out.
    if (transaction.reversed || this.context.books.available(account, currency) < amount)
      return reversal.errors === null && this.cancel(reversal, reversal, INSUFFICIENT_BALANCE);
    const { status, errors } = reportOfPaid(reversal);
    const reference = this.transactions.newReference();
    this.money.giveBack(transaction, 'refund', reference);
    reversal.isPaid = true;
    reversal.errors = errors;
    reversal.bulkPayment = { status, originatedAt: this.context.clock.now(), reference };
    void this.money.sendReversedWebhooks(transaction);
    return true;
  }

  protected takeBack(reversal: Reversal): boolean {
    const { transaction, bulkPayment } = reversal;
    const { account, currency, amount } = moneyOf(reversal);
    if (this.context.books.available(transaction.payer, currency) < amount) return false;
    this.context.books.book({
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
    return this.cancel(reversal, reversal, 'The customer returned the money');
  }

  protected cancel(reversal: Reversal, _part: Reversal, error: string): true {
    this.release(reversal);
    reversal.bulkPayment!.status = 'Cancelled';
    reversal.errors = [error];
    return true;
  }

  private release(reversal: Reversal): void {
    if (!reversal.isReserved) return;
    const { account, currency, amount } = moneyOf(reversal);
    this.context.books.release(account, currency, amount);
    reversal.isReserved = false;
  }
}

const CANNOT = 'You cannot reverse a transaction in';

/** True when the money may still move. Then the platform takes no other request for it. */
function mayMove({ isReserved, status }: Reversal): boolean {
  return isReserved || status !== 'Processed';
}

function moneyOf({ transaction }: Reversal) {
  const { tillNumber, currency, amount } = transaction;
  return { account: tillAccount(tillNumber), currency, amount: minorUnits(amount, currency) };
}
