import type { FactoryProvider, InjectionToken, Type } from '@nestjs/common';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveriesStore } from './deliveries/deliveries.store.js';
import { EventDispatcher } from './events/event.dispatcher.js';
import { EventsService } from './events/events.service.js';
import { EventsStore } from './events/events.store.js';
import { PlatformClocks } from './http/platform.clock.js';
import { LedgerSignals } from './ledger/ledger.signals.js';
import { OperationReader } from './ledger/operation.reader.js';
import { OperationTools } from './ledger/operations.service.js';
import { PaymentLinksService } from './operations/payment-links/payment-links.service.js';
import { PaymentsService } from './operations/payments/payments.service.js';
import { PayoutsService } from './operations/payouts/payouts.service.js';
import { RefundsService } from './operations/refunds/refunds.service.js';
import { PAYMENTS_SETTINGS, type CurrentSettings } from './payments.settings.js';
import { Runtime } from './runtime/runtime.js';
import { PersonalDataService } from './retention/personal-data.service.js';
import { RetentionStore } from './retention/retention.store.js';
import { ReconciliationService } from './reconciliation/reconciliation.service.js';
import { SweepSchedule } from './reconciliation/sweep.schedule.js';
import { SweepsService } from './reconciliation/sweeps.service.js';
import { ExternalRecipientsService } from './resources/external-recipients/external-recipients.service.js';
import { IncomingPaymentsService } from './resources/incoming-payments/incoming-payments.service.js';
import { MerchantBankAccountsService } from './resources/merchant-bank-accounts/merchant-bank-accounts.service.js';
import { MerchantWalletsService } from './resources/merchant-wallets/merchant-wallets.service.js';
import { PayService } from './resources/pay/pay.service.js';
import { BarePaymentLinksService } from './resources/payment-links/bare-payment-links.service.js';
import { PollingService } from './resources/polling/polling.service.js';
import { Resources, type AccountResources } from './resources/resources.js';
import { ReversalsService } from './resources/reversals/reversals.service.js';
import { SendMoneyService } from './resources/send-money/send-money.service.js';
import { SettlementTransfersService } from './resources/settlement-transfers/settlement-transfers.service.js';
import { SmsNotificationsService } from './resources/sms-notifications/sms-notifications.service.js';
import { TokensService } from './resources/tokens/tokens.service.js';
import { WebhookSubscriptionsService } from './resources/webhook-subscriptions/webhook-subscriptions.service.js';
import { TransactionsStore } from './transactions/transactions.store.js';

/** How a service of an account is made. */
export type AccountService = FactoryProvider & { provide: Type; inject: InjectionToken[] };

/**
 * The services of an account. Each works for its account; the objects behind them are one set for all accounts. An account that is
 * declared at the start has them as providers; one that is added later makes each at its first use.
 */
export const ACCOUNT_SERVICES: readonly AccountService[] = [
  service(PaymentsService, OperationTools, PAYMENTS_SETTINGS, TransactionsStore, Resources),
  service(PayoutsService, OperationTools, PAYMENTS_SETTINGS),
  service(RefundsService, OperationTools, PAYMENTS_SETTINGS, TransactionsStore, PlatformClocks),
  service(PaymentLinksService, OperationTools, PAYMENTS_SETTINGS, Resources, OperationReader),
  service(ReconciliationService, TransactionsStore, Resources, PAYMENTS_SETTINGS),
  service(DeliveriesService, DeliveriesStore, LedgerSignals, PAYMENTS_SETTINGS),
  service(EventsService, EventsStore, EventDispatcher, PAYMENTS_SETTINGS),
  service(SweepsService, SweepSchedule, PAYMENTS_SETTINGS),
  service(PersonalDataService, RetentionStore, PAYMENTS_SETTINGS, Runtime),
  resource(TokensService, ({ tokens }) => tokens),
  resource(IncomingPaymentsService, ({ incomingPayments }) => incomingPayments),
  resource(PollingService, ({ polling }) => polling),
  resource(SendMoneyService, ({ sendMoney }) => sendMoney),
  resource(ReversalsService, ({ reversals }) => reversals),
  resource(BarePaymentLinksService, ({ paymentLinks }) => paymentLinks),
  resource(
    ExternalRecipientsService,
    ({ client, settings }) => new ExternalRecipientsService(client, settings),
  ),
  resource(MerchantBankAccountsService, ({ client }) => new MerchantBankAccountsService(client)),
  resource(
    MerchantWalletsService,
    ({ client, settings }) => new MerchantWalletsService(client, settings),
  ),
  resource(SettlementTransfersService, ({ settlementTransfers }) => settlementTransfers),
  resource(PayService, ({ pay }) => pay),
  resource(SmsNotificationsService, ({ smsNotifications }) => smsNotifications),
  resource(
    WebhookSubscriptionsService,
    ({ client, urls, settings }) => new WebhookSubscriptionsService(client, urls, settings),
  ),
];

/** A service that is made from these objects. */
function service<T>(type: Type<T>, ...inject: InjectionToken[]): AccountService {
  return { provide: type, inject, useFactory: (...needs: never[]) => new type(...needs) };
}

/** The service of a resource of the platform. */
function resource<T>(
  provide: abstract new (...args: never[]) => T,
  serviceOf: (resources: AccountResources) => T,
): AccountService {
  return {
    provide: provide as Type,
    inject: [Resources, PAYMENTS_SETTINGS],
    useFactory: (resources: Resources, { current }: CurrentSettings) =>
      serviceOf(resources.of(current.account)),
  };
}
