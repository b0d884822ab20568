import type { MerchantContext } from '../merchants/merchant-context.js';
import type { Till } from '../tills/tills.service.js';
import type { TillMoney } from '../transactions/till-money.service.js';
import { settlementResource } from '../transactions/transaction.resource.js';
import type { TransactionsStore } from '../transactions/transactions.store.js';
import { amountText, majorUnits, OWN_CURRENCY } from '../values/amount.js';
import type { WebhookEvents } from '../webhook-events/webhook-events.service.js';
import type { Disbursement, PayoutRequest } from './payout.model.js';

/** A till of the platform, of this or another merchant, with the service that receives money for it. */
export interface ReceivingTill {
  readonly till: Till;
  readonly money: TillMoney;
}

/** Moves the money of disbursements, and informs those who receive it. */
export class DisbursementTransfers {
  constructor(
    private readonly context: MerchantContext,
    private readonly receiverAt: (tillNumber: string) => ReceivingTill | undefined,
    private readonly transactions: TransactionsStore,
    private readonly events: WebhookEvents,
  ) {}

  /** Reserves the amount. A sweep takes everything that is available. */
  reserve({ order }: PayoutRequest, disbursement: Disbursement): void {
    disbursement.amount ??= this.context.books.available(order.source, OWN_CURRENCY);
    disbursement.isReserved =
      disbursement.amount > 0 &&
      this.context.books.reserve(order.source, OWN_CURRENCY, disbursement.amount);
  }

  release({ order }: PayoutRequest, disbursement: Disbursement): void {
    if (!disbursement.isReserved) return;
    this.context.books.release(order.source, OWN_CURRENCY, disbursement.amount!);
    disbursement.isReserved = false;
  }

  /** Moves the money. @returns false when the paying account had too little */
  transfer(payout: PayoutRequest, disbursement: Disbursement): boolean {
    const { source, tillNumber } = payout.order;
    const { destination } = disbursement;
    const amount = disbursement.amount!;
    this.release(payout, disbursement);
    if (this.context.books.available(source, OWN_CURRENCY) < amount) return false;
    const reference = this.transactions.newReference();
    const receiver = destination.type === 'till' && this.receiverAt(destination.number);
    if (receiver) {
      const transaction = receiver.money.receive({
        till: receiver.till,
        phoneNumber: '',
        firstName: '',
        lastName: '',
        amount: majorUnits(amount, OWN_CURRENCY),
        currency: OWN_CURRENCY,
        sendingTill: tillNumber,
        from: source,
        reference,
      });
      disbursement.received = transaction;
      void receiver.money.sendWebhooks(transaction);
    } else {
      this.context.books.book({
        debit: source,
        credit: destination.account,
        amount,
        currency: OWN_CURRENCY,
        why: 'payout',
        reference,
      });
    }
    disbursement.isPaid = true;
    disbursement.reference = reference;
    disbursement.originatedAt = this.context.clock.now();
    this.tell(payout, disbursement);
    return true;
  }

  /** Moves the money back. @returns false when the destination no longer had it */
  takeBack({ order }: PayoutRequest, disbursement: Disbursement): boolean {
    const { account } = disbursement.destination;
    const amount = disbursement.amount!;
    if (this.context.books.available(account, OWN_CURRENCY) < amount) return false;
    const { received } = disbursement;
    if (received?.reversed) return false;
    this.context.books.book({
      debit: account,
      credit: order.source,
      amount,
      currency: OWN_CURRENCY,
      why: 'payout returned',
      reference: disbursement.reference,
    });
    if (received) {
      received.reversed = true;
      void this.receiverAt(received.tillNumber)?.money.sendReversedWebhooks(received);
    }
    disbursement.isPaid = false;
    disbursement.reference = null;
    return true;
  }

  private tell({ order }: PayoutRequest, { destination, amount, reference }: Disbursement): void {
    if (destination.phone !== null) {
      this.context.handsets.get(destination.phone).receiveMoney({
        from: `till ${order.tillNumber}`,
        amount: majorUnits(amount!, OWN_CURRENCY),
        currency: OWN_CURRENCY,
        reference: reference!,
        at: this.context.clock.now(),
        merchant: this.transactions.merchant,
      });
    }
    if (destination.type === 'merchant_wallet' || destination.type === 'merchant_bank_account') {
      const isWallet = destination.type === 'merchant_wallet';
      const settlement = settlementResource({
        id: reference,
        type: isWallet ? 'Mobile Wallet' : 'Bank Account',
        destination: { reference: destination.reference, ...destination.details },
        amount: amountText(majorUnits(amount!, OWN_CURRENCY)),
        reference: isWallet ? reference : null,
        now: this.context.clock.now(),
      });
      void this.events.publishResource('settlement_transfer_completed', settlement);
    }
  }
}
