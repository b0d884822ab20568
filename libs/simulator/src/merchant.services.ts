import type { Books } from './balances/books.service.js';
import type { SimulatedClock } from './clock/clock.service.js';
import type { Deliveries, MerchantDeliveries } from './deliveries/deliveries.service.js';
import { ExternalRecipientRoutes } from './external-recipients/external-recipients.controller.js';
import { ExternalRecipients } from './external-recipients/external-recipients.service.js';
import type { FaultInjector, Faults } from './faults/faults.service.js';
import type { Handsets } from './handsets/handsets.service.js';
import { IncomingPaymentsStore } from './incoming-payments/incoming-payments.store.js';
import { IncomingPaymentRoutes } from './incoming-payments/incoming-payments.controller.js';
import { IncomingPayments } from './incoming-payments/incoming-payments.service.js';
import { PaymentPrompts } from './incoming-payments/payment-prompts.service.js';
import type { Journal } from './journal/journal.service.js';
import { MerchantAccountRoutes } from './merchant-accounts/merchant-accounts.controller.js';
import { MerchantAccounts } from './merchant-accounts/merchant-accounts.service.js';
import type { MerchantEndpoints } from './merchants/merchant.dispatcher.js';
import type { SimulatedMerchant } from './merchants/merchant.model.js';
import { Pay } from './pay/pay.kind.js';
import { PaymentLinkRoutes } from './payment-links/payment-links.controller.js';
import { PaymentLinks } from './payment-links/payment-links.service.js';
import { PaymentLinksStore } from './payment-links/payment-links.store.js';
import { DisbursementTransfers, type ReceivingTill } from './payouts/disbursement.transfers.js';
import type { PayoutScenarios } from './payouts/payout-scenarios.service.js';
import { PayoutRoutes } from './payouts/payout.routes.js';
import { Payouts } from './payouts/payouts.service.js';
import { PayoutsStore } from './payouts/payouts.store.js';
import { PollingRoutes } from './polling/polling.controller.js';
import { PollingRequests } from './polling/polling.service.js';
import { ReversalRoutes } from './reversals/reversals.controller.js';
import { Reversals } from './reversals/reversals.service.js';
import { ReversalsStore } from './reversals/reversals.store.js';
import type { Scenarios } from './scenarios/scenarios.service.js';
import type { PlatformRoute } from './server/platform-exchange.dto.js';
import { RequestPipeline } from './server/request-pipeline.service.js';
import { SendMoney } from './send-money/send-money.kind.js';
import { SettlementTransfers } from './settlement-transfers/settlement-transfers.kind.js';
import type { SimulatorSettings } from './simulator.options.js';
import { SmsNotificationRoutes } from './sms-notifications/sms-notifications.controller.js';
import { SmsNotifications } from './sms-notifications/sms-notifications.service.js';
import type { Tills } from './tills/tills.service.js';
import { OAuthForm } from './tokens/oauth-form.dto.js';
import { TokenRoutes } from './tokens/tokens.controller.js';
import { Tokens } from './tokens/tokens.service.js';
import { TillMoney } from './transactions/till-money.service.js';
import { TillPayments } from './transactions/till-payments.service.js';
import { TransactionsStore, type Transaction } from './transactions/transactions.store.js';
import { WebhookEventRoutes } from './webhook-events/webhook-events.controller.js';
import { WebhookEvents } from './webhook-events/webhook-events.service.js';
import { WebhookSubscriptionRoutes } from './webhook-subscriptions/webhook-subscriptions.controller.js';
import { WebhookSubscriptions } from './webhook-subscriptions/webhook-subscriptions.service.js';

/** What all merchants of one simulator share. */
export interface SharedServices {
  readonly clock: SimulatedClock;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly scenarios: Scenarios;
  readonly payoutScenarios: PayoutScenarios;
  readonly handsets: Handsets;
  readonly books: Books;
  readonly deliveries: Deliveries;
  /** The till with this number, of any merchant. */
  receiverAt(tillNumber: string): ReceivingTill | undefined;
  /** The transaction with this reference, of any merchant. */
  transactionOf(reference: string): Transaction | undefined;
}

/** Creates what one merchant has on the platform, and connects it with what all merchants share. */
export class MerchantServices implements MerchantEndpoints {
  /** The endpoints, by method and path. */
  readonly routes = new Map<string, PlatformRoute>();
  readonly tills: Tills;
  readonly tokens: Tokens;
  readonly transactions: TransactionsStore;
  readonly payments = new IncomingPaymentsStore();
  readonly payouts: PayoutsStore;
  readonly reversals = new ReversalsStore();
  readonly links: PaymentLinksStore;
  readonly paymentLinks: PaymentLinks;
  readonly merchantAccounts = new MerchantAccounts();
  readonly recipients: ExternalRecipients;
  readonly subscriptions = new WebhookSubscriptions();
  readonly events: WebhookEvents;
  readonly money: TillMoney;
  readonly tillPayments: TillPayments;
  private readonly deliveries: MerchantDeliveries;
  private readonly faults: FaultInjector;
  /** Each goes on with one kind of work. */
  private readonly unfinished: (() => void)[] = [() => this.paymentLinks.resume()];

  constructor(
    settings: SimulatorSettings,
    baseUrl: () => string,
    private readonly platform: SharedServices,
    readonly merchant: SimulatedMerchant,
  ) {
    const { timings, tokenLifetime, singleToken } = settings;
    const { clock, books, journal, handsets } = platform;
    this.deliveries = platform.deliveries.of(merchant);
    this.faults = platform.faults.of(merchant.name);
    this.tills = merchant.tills;
    this.transactions = new TransactionsStore(merchant.name);
    this.payouts = new PayoutsStore(platform.payoutScenarios);
    this.recipients = new ExternalRecipients((number) => platform.receiverAt(number)?.till);
    this.tokens = new Tokens(clock, tokenLifetime, singleToken, merchant.tokenPrefix);
    this.events = new WebhookEvents(
      this.subscriptions,
      this.deliveries,
      clock,
      this.faults,
      baseUrl,
      (tillNumber) => this.tills.numbersOf(tillNumber),
    );
    this.money = new TillMoney(this.transactions, this.events, clock, books, journal, handsets);
    this.tillPayments = new TillPayments(this.money, (reference) =>
      platform.transactionOf(reference),
    );
    this.links = new PaymentLinksStore(baseUrl);
    this.paymentLinks = new PaymentLinks(
      this.links,
      this.money,
      clock,
      timings,
      this.deliveries,
      this.faults,
      baseUrl,
    );
    const pipeline = new RequestPipeline(settings, this.tokens, baseUrl);
    this.addEndpoints(settings, pipeline, baseUrl);
    this.addPayouts(settings, pipeline, baseUrl);
  }

  /** What has data to keep in a file. */
  readonly keepers = (): object[] => [
    this.transactions,
    this.payments,
    this.payouts,
    this.reversals,
    this.links,
    this.merchantAccounts,
    this.recipients,
    this.subscriptions,
    this.events,
  ];

  /** Goes on with what a platform that has stopped has left open. */
  resume(): void {
    for (const resume of this.unfinished) resume();
  }

  private add(routes: readonly PlatformRoute[]): void {
    for (const route of routes) this.routes.set(`${route.method} ${route.path}`, route);
  }

  /** Endpoints of version 1 only. Clients that have one version for all ask for them in version 2, too. */
  private addOlder({ strict, apiVersions }: SimulatorSettings, routes: PlatformRoute[]): void {
    this.add(routes);
    if (!strict && apiVersions === 'both') this.add(routes.map(inOtherVersion));
  }

  /** The endpoints of the platform. */
  private addEndpoints(
    settings: SimulatorSettings,
    pipeline: RequestPipeline,
    baseUrl: () => string,
  ): void {
    const { tills, tokens, deliveries, faults, events, merchant } = this;
    const { clock, handsets, scenarios } = this.platform;
    const { timings } = settings;
    const payments = new IncomingPayments(
      this.payments,
      scenarios,
      clock,
      timings,
      this.money,
      deliveries,
      faults,
      baseUrl,
    );
    const prompts = new PaymentPrompts(payments, handsets, clock, timings, merchant.name);
    this.unfinished.push(() => {
      for (const payment of this.payments.open()) {
        const till = tills.find(payment.request.till_number);
        if (till) prompts.resume(payment, till);
      }
    });
    const pollings = new PollingRequests(
      clock,
      timings.polling,
      this.transactions,
      deliveries,
      faults,
      baseUrl,
    );
    const sms = new SmsNotifications(
      clock,
      timings.sms,
      handsets,
      deliveries,
      faults,
      baseUrl,
      merchant.name,
    );
    const form = new OAuthForm(settings, merchant);
    this.add(new TokenRoutes(tokens, form, merchant.clientId).routes());
    const twoVersions = [
      ...new WebhookSubscriptionRoutes(settings, pipeline, tills, this.subscriptions).routes(),
      ...new IncomingPaymentRoutes(settings, pipeline, tills, payments, prompts).routes(),
      ...new PollingRoutes(settings, pipeline, tills, pollings).routes(),
    ];
    this.add(twoVersions);
    if (settings.apiVersions === 'both') this.add(twoVersions.map(inOtherVersion));
    this.addOlder(settings, new SmsNotificationRoutes(settings, pipeline, events, sms).routes());
    this.add(new WebhookEventRoutes(pipeline, events, this.transactions).routes());
  }

  /** The endpoints of everything that sends money out. */
  private addPayouts(
    settings: SimulatorSettings,
    pipeline: RequestPipeline,
    baseUrl: () => string,
  ): void {
    const { tills, recipients, merchantAccounts, deliveries, faults } = this;
    const { clock, books, handsets, payoutScenarios } = this.platform;
    const transfers = new DisbursementTransfers(
      books,
      clock,
      (tillNumber) => this.platform.receiverAt(tillNumber),
      this.transactions,
      handsets,
      this.events,
    );
    const sendMoney = new SendMoney(settings, tills, recipients, merchantAccounts);
    const pay = new Pay(settings, tills, recipients);
    const settlements = new SettlementTransfers(settings, tills, merchantAccounts);
    const payouts = new Payouts(
      this.payouts,
      clock,
      settings.timings,
      transfers,
      deliveries,
      faults,
      baseUrl,
      [sendMoney.format, pay.format, settlements.format],
      settings.seed,
    );
    const recipientRoutes = new ExternalRecipientRoutes(settings, pipeline, recipients, faults);
    this.add(recipientRoutes.routes());
    this.addOlder(settings, recipientRoutes.olderRoutes());
    this.add(new MerchantAccountRoutes(settings, pipeline, merchantAccounts, faults).routes());
    const reversals = new Reversals(
      this.reversals,
      this.transactions,
      payoutScenarios,
      books,
      this.money,
      clock,
      settings.timings,
      deliveries,
      faults,
      baseUrl,
    );
    this.unfinished.push(
      () => payouts.resume(),
      () => reversals.resume(),
    );
    this.add(new PaymentLinkRoutes(settings, pipeline, tills, this.paymentLinks).routes());
    this.add(new ReversalRoutes(settings, pipeline, clock, reversals).routes());
    this.add(new PayoutRoutes(pipeline, clock, payouts, sendMoney).routes());
    this.addOlder(settings, new PayoutRoutes(pipeline, clock, payouts, pay).routes());
    this.addOlder(settings, new PayoutRoutes(pipeline, clock, payouts, settlements).routes());
  }
}

/** The same endpoint in version 1 instead of 2, or 2 instead of 1. What it creates is located in its own version. */
function inOtherVersion(route: PlatformRoute): PlatformRoute {
  return {
    ...route,
    path: otherVersion(route.path),
    handle: async (exchange) => {
      const answer = await route.handle(exchange);
      const location = answer.headers?.location;
      if (location === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, location: otherVersion(location) } };
    },
  };
}

function otherVersion(url: string): string {
  return url.replace(/\/api\/v(\d)\//, (_, version) => `/api/v${3 - Number(version)}/`);
}
