import type { FactoryProvider, InjectionToken, Type } from '@nestjs/common';
import { DeliveriesService } from './inbox/deliveries.service.js';
import { DeliveriesStore } from './store/deliveries.store.js';
import { EventDispatcher } from './listeners/event-dispatcher.js';
import { EventsService } from './listeners/events.service.js';
import { EventsStore } from './store/events.store.js';
import { PlatformClocks } from './platform/platform-clock.js';
import { RecentRecords } from './ledger/recent-records.js';
import { LedgerSignals } from './ledger/ledger-commits.js';
import { OperationReader } from './ledger/operation-evidence.service.js';
import { Ledger } from './ledger/ledger.js';
import { WatchedOperations } from './ledger/watched-operations.js';
import { OperationRecorder } from './send/operation-recorder.js';
import { OperationsStore } from './store/operations.store.js';
import { PaymentLinksService } from './operations/payment-links/payment-links.service.js';
import { PaymentsService } from './operations/payments/payments.service.js';
import { PayoutsService } from './operations/payouts/payouts.service.js';
import { RefundsService } from './operations/refunds/refunds.service.js';
import { PAYMENTS_SETTINGS, type CurrentSettings } from './accounts/payments.settings.js';
import { ReviewsService } from './operations/reviews.service.js';
import { Runtime } from './runtime/clock.js';
import { PersonalDataService } from './round/retention.js';
import { RetentionStore } from './store/retention.store.js';
import { ReconciliationService } from './round/reconciliation.service.js';
import { AccountSweeps, SweepsService } from './round/sweeps.service.js';
import { ExternalRecipientsService } from './platform/resources/external-recipients.service.js';
import { IncomingPaymentsService } from './platform/resources/incoming-payments.service.js';
import { MerchantBankAccountsService } from './platform/resources/merchant-bank-accounts.service.js';
import { MerchantWalletsService } from './platform/resources/merchant-wallets.service.js';
import { PayService } from './platform/resources/pay.service.js';
import { BarePaymentLinksService } from './platform/resources/bare-payment-links.service.js';
import { PollingWindowsService } from './platform/resources/polling-windows.service.js';
import { PollingService } from './platform/resources/polling.service.js';
import { Resources, type AccountResources } from './platform/resources.js';
import { PaymentsHttpService } from './platform/http/payments-http.service.js';
import { PlatformHttp } from './platform/http/platform-http.js';
import { ReversalsService } from './platform/resources/reversals.service.js';
import { SendMoneyService } from './platform/resources/send-money.service.js';
import { SettlementTransfersService } from './platform/resources/settlement-transfers.service.js';
import { SmsNotificationsService } from './platform/resources/sms-notifications.service.js';
import { TokensService } from './platform/tokens/tokens.service.js';
import { WebhookSubscriptionsService } from './platform/resources/webhook-subscriptions.service.js';
import { TransactionsStore } from './store/transactions.store.js';

/** The provider of one service of an account. */
export type AccountService = FactoryProvider & { provide: Type; inject: InjectionToken[] };

/** The services of all kinds of operations are made from these. */
const OPERATIONS = [OperationsStore, Ledger, OperationRecorder, WatchedOperations] as const;

/**
 * The services of an account. Each works for its account; the objects behind them are one set for all accounts. An account that is
 * declared at the start has them as providers; one that is added later makes each at its first use.
 */
export const ACCOUNT_SERVICES: readonly AccountService[] = [
  service(PaymentsService, ...OPERATIONS, PAYMENTS_SETTINGS, TransactionsStore, Resources),
  service(PayoutsService, ...OPERATIONS, PAYMENTS_SETTINGS),
  service(RefundsService, ...OPERATIONS, PAYMENTS_SETTINGS, TransactionsStore, PlatformClocks),
  service(PaymentLinksService, ...OPERATIONS, PAYMENTS_SETTINGS, Resources, OperationReader),
  service(ReviewsService, OperationsStore, Ledger, WatchedOperations, PAYMENTS_SETTINGS),
  service(ReconciliationService, TransactionsStore, PollingWindowsService, PAYMENTS_SETTINGS),
  service(DeliveriesService, DeliveriesStore, LedgerSignals, PAYMENTS_SETTINGS),
  service(EventsService, EventsStore, EventDispatcher, PAYMENTS_SETTINGS),
  service(SweepsService, AccountSweeps, PAYMENTS_SETTINGS),
  service(PersonalDataService, RetentionStore, PAYMENTS_SETTINGS, Runtime, RecentRecords),
  {
    provide: PaymentsHttpService,
    inject: [PlatformHttp, PAYMENTS_SETTINGS],
    useFactory: (http: PlatformHttp, { current }: CurrentSettings) =>
      http.serviceOf(current.account),
  },
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

/** Provides a service that is made from these objects. */
function service<T>(type: Type<T>, ...inject: InjectionToken[]): AccountService {
  return { provide: type, inject, useFactory: (...needs: never[]) => new type(...needs) };
}

/** Provides the service of a resource of the platform. */
function resource<T>(
  provide: abstract new (...args: never[]) => T,
  serviceOf: (resources: AccountResources) => T,
): AccountService {
  return {
    provide: provide as Type,
    inject: [Resources, PAYMENTS_SETTINGS],
    useFactory: (resources: Resources, { current }: CurrentSettings) =>
      serviceOf(resources.resources(current.account)),
  };
}
