import type { CurrentSettings } from '../accounts/payments.settings.js';
import { LedgerSignals } from '../ledger/ledger-commits.js';
import type { PaymentLinkResource } from '../platform/resources/bare-payment-links.service.js';
import type { Customer } from '../platform/resources/customer.resource.js';
import type { IncomingPayment } from '../platform/resources/incoming-payments.service.js';
import type { MerchantTransaction } from '../platform/resources/merchant-transaction.resource.js';
import type { Pay } from '../platform/resources/pay.service.js';
import type { Polling } from '../platform/resources/polling.service.js';
import type { Reversal } from '../platform/resources/reversals.service.js';
import type { SendMoney } from '../platform/resources/send-money.service.js';
import type { SettlementTransfer } from '../platform/resources/settlement-transfers.service.js';
import type { Settlement } from '../platform/resources/settlement.resource.js';
import type { SmsNotification } from '../platform/resources/sms-notifications.service.js';
import { Concealed } from '../runtime/validate-input.js';
import { DeliveriesStore, type DeliveryRecord } from '../store/deliveries.store.js';
import { eventBuilder, type PaymentsEventBase } from '../store/new-event.js';

/**
 * The stored deliveries of an account.
 * @example
 * const delivery = await deliveries.find(deliveryId); // of a delivery.unrecognised event
 * await deliveries.replay(deliveryId); // after an upgrade
 * @see docs/guide.md#deliveries
 * @publicApi
 */
@Concealed()
export class DeliveriesService {
  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly signals: LedgerSignals,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Reads a stored delivery and its state; null when there is none.
   * @throws StoreUnavailableError when the store does not answer
   */
  find(id: string): Promise<DeliveryRecord | null> {
    return this.deliveriesStore.find(this.settings.current.account, id);
  }

  /**
   * Processes a finished or unrecognised delivery again: after an upgrade, or when its payment exists now. What it already changed
   * is not changed twice, and no event is emitted twice.
   * @returns false when there is no such delivery, or it still waits
   * @throws StoreUnavailableError when the store does not answer
   */
  async replay(id: string): Promise<boolean> {
    const found = await this.deliveriesStore.reprocess(this.settings.current.account, id);
    if (found) this.signals.deliveries$.next();
    return found;
  }
}

/** Results of the bare resources, webhooks that report no money at a till, and deliveries that this version does not understand. @publicApi */
export interface DeliveryEvents {
  /** The result of `IncomingPaymentsService.create()`: read its status, because it may be `Failed`. */
  'incoming-payment.completed': PaymentsEventBase & { readonly incomingPayment: IncomingPayment };
  /** The result of `PollingService.create()`. */
  'polling.completed': PaymentsEventBase & { readonly polling: Polling };
  /** The result of `SmsNotificationsService.create()`. */
  'sms-notification.completed': PaymentsEventBase & { readonly smsNotification: SmsNotification };
  /** The result of `SendMoneyService.create()`: every disbursement is `Transferred` or `Cancelled`. Read which. */
  'send-money.completed': PaymentsEventBase & { readonly sendMoney: SendMoney };
  /** The result of `ReversalsService.create()`: the bulk payment is `Transferred` or `Cancelled`. Read which. */
  'reversal.completed': PaymentsEventBase & { readonly reversal: Reversal };
  /** The result of `BarePaymentLinksService.create()`: the link was paid, cancelled or has expired. Read which. */
  'bare-payment-link.completed': PaymentsEventBase & { readonly paymentLink: PaymentLinkResource };
  /** The result of `SettlementTransfersService.create()`: every disbursement is `Transferred` or `Cancelled`. Read which. */
  'settlement-transfer.completed': PaymentsEventBase & {
    readonly settlementTransfer: SettlementTransfer;
  };
  /** The result of `PayService.create()`: every disbursement is `Transferred` or `Cancelled`. Read which. */
  'pay.completed': PaymentsEventBase & { readonly pay: Pay };
  /** Somebody became a customer of the company. Once for each customer. Needs a subscription to `customer_created`. */
  'customer.created': PaymentsEventBase & {
    readonly customer: Customer;
    /** Id of the webhook event; null when the webhook has none. */
    readonly webhookEventId: string | null;
  };
  /**
   * Money was transferred to an account of the company. Once for each settlement. Needs a subscription to
   * `settlement_transfer_completed`.
   */
  'settlement.completed': PaymentsEventBase & {
    readonly settlement: Settlement;
    /** Id of the webhook event; null when the webhook has none. */
    readonly webhookEventId: string | null;
  };
  /** Another merchant of the platform has paid. Once for each transaction. Needs a subscription to `m2m_transaction_received`. */
  'merchant-transaction.received': PaymentsEventBase & {
    readonly merchantTransaction: MerchantTransaction;
    /** Id of the webhook event; null when the webhook has none. */
    readonly webhookEventId: string | null;
  };
  /** A verified delivery is stored but not understood. `Inbox.find(deliveryId)` reads it. */
  'delivery.unrecognised': PaymentsEventBase & {
    readonly deliveryId: string;
    /** Topic or type as the platform wrote it; null when the delivery has none. */
    readonly topic: string | null;
  };
}

export const DELIVERY_EVENTS: readonly (keyof DeliveryEvents)[] = [
  'incoming-payment.completed',
  'polling.completed',
  'sms-notification.completed',
  'send-money.completed',
  'reversal.completed',
  'bare-payment-link.completed',
  'settlement-transfer.completed',
  'pay.completed',
  'customer.created',
  'settlement.completed',
  'merchant-transaction.received',
  'delivery.unrecognised',
];

export const deliveryEvent = eventBuilder<DeliveryEvents>();
