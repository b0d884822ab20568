import { tillAccount, WORLD } from './balances/account.name.js';
import { Books } from './balances/books.service.js';
import { ActivityTracker } from './clock/activity.service.js';
import { SimulatedClock } from './clock/clock.service.js';
import { Deliveries } from './deliveries/deliveries.service.js';
import { DeliverySender } from './deliveries/delivery-sender.service.js';
import { ExternalRecipientRoutes } from './external-recipients/external-recipients.controller.js';
import { ExternalRecipients } from './external-recipients/external-recipients.service.js';
import { Faults } from './faults/faults.service.js';
import { Handsets } from './handsets/handsets.service.js';
import { IncomingPaymentsStore } from './incoming-payments/incoming-payments.store.js';
import { IncomingPaymentRoutes } from './incoming-payments/incoming-payments.controller.js';
import { IncomingPayments } from './incoming-payments/incoming-payments.service.js';
import { PaymentPrompts } from './incoming-payments/payment-prompts.service.js';
import { Journal } from './journal/journal.service.js';
import { MerchantAccountRoutes } from './merchant-accounts/merchant-accounts.controller.js';
import { MerchantAccounts } from './merchant-accounts/merchant-accounts.service.js';
import { Pay } from './pay/pay.kind.js';
import { PaymentLinkRoutes } from './payment-links/payment-links.controller.js';
import { PaymentLinks } from './payment-links/payment-links.service.js';
import { PaymentLinksStore } from './payment-links/payment-links.store.js';
import { DisbursementTransfers } from './payouts/disbursement.transfers.js';
import { PayoutRoutes } from './payouts/payout.routes.js';
import { PayoutScenarios } from './payouts/payout-scenarios.service.js';
import { Payouts } from './payouts/payouts.service.js';
import { PayoutsStore } from './payouts/payouts.store.js';
import { PollingRoutes } from './polling/polling.controller.js';
import { PollingRequests } from './polling/polling.service.js';
import { ReversalRoutes } from './reversals/reversals.controller.js';
import { Reversals } from './reversals/reversals.service.js';
import { ReversalsStore } from './reversals/reversals.store.js';
import { Scenarios } from './scenarios/scenarios.service.js';
import { AnswerSender } from './server/answer-sender.service.js';
import type { PlatformRoute } from './server/platform-exchange.dto.js';
import { RequestPipeline } from './server/request-pipeline.service.js';
import { PlatformServer } from './server/platform.server.js';
import { SendMoney } from './send-money/send-money.kind.js';
import { SettlementTransfers } from './settlement-transfers/settlement-transfers.kind.js';
import type { SimulatorSettings } from './simulator.options.js';
import { SmsNotificationRoutes } from './sms-notifications/sms-notifications.controller.js';
import { SmsNotifications } from './sms-notifications/sms-notifications.service.js';
import { Tills } from './tills/tills.service.js';
import { OAuthForm } from './tokens/oauth-form.dto.js';
import { TokenRoutes } from './tokens/tokens.controller.js';
import { Tokens } from './tokens/tokens.service.js';
import { TillMoney } from './transactions/till-money.service.js';
import { TillPayments } from './transactions/till-payments.service.js';
import { TransactionsStore } from './transactions/transactions.store.js';
import { minorUnits, OWN_CURRENCY } from './values/amount.js';
import { WebhookEventRoutes } from './webhook-events/webhook-events.controller.js';
import { WebhookEvents } from './webhook-events/webhook-events.service.js';
import { WebhookSubscriptionRoutes } from './webhook-subscriptions/webhook-subscriptions.controller.js';
import { WebhookSubscriptions } from './webhook-subscriptions/webhook-subscriptions.service.js';

/** Creates the services of one simulator and connects them. */
export class SimulatorServices {
  readonly activity = new ActivityTracker();
  readonly clock = new SimulatedClock(this.activity);
  readonly faults: Faults;
  readonly journal: Journal;
  readonly scenarios: Scenarios;
  readonly handsets: Handsets;
  readonly books = new Books(() => this.clock.now());
  readonly tills: Tills;
  readonly tokens: Tokens;
  readonly deliveries: Deliveries;
  readonly transactions = new TransactionsStore();
  readonly payments = new IncomingPaymentsStore();
  readonly payoutScenarios = new PayoutScenarios();
  readonly payouts = new PayoutsStore(this.payoutScenarios);
  readonly reversals = new ReversalsStore();
  readonly links: PaymentLinksStore;
  readonly paymentLinks: PaymentLinks;
  readonly merchantAccounts = new MerchantAccounts();
  readonly recipients: ExternalRecipients;
  readonly subscriptions = new WebhookSubscriptions();
  readonly events: WebhookEvents;
  readonly money: TillMoney;
  readonly tillPayments: TillPayments;
  readonly answerSender = new AnswerSender(this.clock);
  readonly server: PlatformServer;

  constructor(settings: SimulatorSettings, baseUrl: () => string) {
    const { timings } = settings;
    const now = () => this.clock.now();
    this.faults = new Faults(settings.seed);
    this.journal = new Journal(settings.journalSize, now);
    this.scenarios = new Scenarios(settings.defaultScenario);
    this.handsets = new Handsets(this.journal);
    this.tills = new Tills(settings.tillNumbers, settings.tillAliases);
    this.recipients = new ExternalRecipients(this.tills);
    this.tokens = new Tokens(this.clock, settings.tokenLifetime, settings.singleToken);
    const sender = new DeliverySender(this.clock, timings.deliveryTimeout, settings.receiverCa);
    this.deliveries = new Deliveries(
      settings,
      this.clock,
      this.activity,
      this.faults,
      this.journal,
      sender,
    );
    this.events = new WebhookEvents(
      this.subscriptions,
      this.deliveries,
      this.clock,
      this.faults,
      baseUrl,
      (tillNumber) => this.tills.numbersOf(tillNumber),
    );
    this.money = new TillMoney(
      this.transactions,
      this.events,
      this.clock,
      this.books,
      this.journal,
      this.handsets,
    );
    this.tillPayments = new TillPayments(this.tills, this.transactions, this.money);
    this.links = new PaymentLinksStore(baseUrl);
    this.paymentLinks = new PaymentLinks(
      this.links,
      this.money,
      this.clock,
      timings,
      this.deliveries,
      this.faults,
      baseUrl,
    );
    this.server = new PlatformServer(
      settings,
      this.faults,
      this.journal,
      this.activity,
      this.clock,
      this.answerSender,
      baseUrl,
    );
    this.openTills(settings.openingBalances);
    const pipeline = new RequestPipeline(settings, this.tokens, baseUrl);
    this.addEndpoints(settings, pipeline, baseUrl);
    this.addPayouts(settings, pipeline, baseUrl);
  }

  private openTills(balances: SimulatorSettings['openingBalances']): void {
    for (const [number, amount] of Object.entries(balances)) {
      this.books.book({
        debit: WORLD,
        credit: tillAccount(this.tills.find(number)!.reported),
        amount: minorUnits(amount, OWN_CURRENCY),
        currency: OWN_CURRENCY,
        why: 'opening balance',
        reference: null,
      });
    }
  }

  /** The endpoints of the platform. */
  private addEndpoints(
    settings: SimulatorSettings,
    pipeline: RequestPipeline,
    baseUrl: () => string,
  ): void {
    const { clock, tills, tokens, deliveries, faults, handsets, events, server } = this;
    const { timings } = settings;
    const payments = new IncomingPayments(
      this.payments,
      this.scenarios,
      clock,
      timings,
      this.money,
      deliveries,
      faults,
      baseUrl,
    );
    const prompts = new PaymentPrompts(payments, handsets, clock, timings);
    const pollings = new PollingRequests(
      clock,
      timings.polling,
      this.transactions,
      deliveries,
      faults,
      baseUrl,
    );
    const sms = new SmsNotifications(clock, timings.sms, handsets, deliveries, faults, baseUrl);
    server.add(new TokenRoutes(tokens, new OAuthForm(settings), settings.clientId).routes());
    const twoVersions = [
      ...new WebhookSubscriptionRoutes(settings, pipeline, tills, this.subscriptions).routes(),
      ...new IncomingPaymentRoutes(settings, pipeline, tills, payments, prompts).routes(),
      ...new PollingRoutes(settings, pipeline, tills, pollings).routes(),
    ];
    server.add(twoVersions);
    if (!settings.strict) server.add(twoVersions.map(inOtherVersion));
    server.add(new SmsNotificationRoutes(settings, pipeline, events, sms).routes());
    server.add(new WebhookEventRoutes(pipeline, events, this.transactions).routes());
  }

  /** The endpoints of everything that sends money out. */
  private addPayouts(
    settings: SimulatorSettings,
    pipeline: RequestPipeline,
    baseUrl: () => string,
  ): void {
    const { clock, tills, recipients, merchantAccounts, deliveries, faults, server } = this;
    const transfers = new DisbursementTransfers(
      this.books,
      clock,
      tills,
      this.money,
      this.transactions,
      this.handsets,
      this.events,
    );
    const payouts = new Payouts(
      this.payouts,
      clock,
      settings.timings,
      transfers,
      deliveries,
      faults,
      baseUrl,
      settings.seed,
    );
    const sendMoney = new SendMoney(settings, tills, recipients, merchantAccounts);
    const pay = new Pay(settings, tills, recipients);
    const settlements = new SettlementTransfers(settings, tills, merchantAccounts);
    server.add(new ExternalRecipientRoutes(settings, pipeline, recipients, faults).routes());
    server.add(new MerchantAccountRoutes(settings, pipeline, merchantAccounts, faults).routes());
    const reversals = new Reversals(
      this.reversals,
      this.transactions,
      this.payoutScenarios,
      this.books,
      this.money,
      clock,
      settings.timings,
      deliveries,
      faults,
      baseUrl,
    );
    server.add(new PaymentLinkRoutes(settings, pipeline, tills, this.paymentLinks).routes());
    server.add(new ReversalRoutes(settings, pipeline, clock, reversals).routes());
    server.add(new PayoutRoutes(pipeline, clock, payouts, sendMoney).routes());
    server.add(new PayoutRoutes(pipeline, clock, payouts, pay).routes());
    server.add(new PayoutRoutes(pipeline, clock, payouts, settlements).routes());
  }
}

/** The same endpoint in version 1 instead of 2, or 2 instead of 1. */
function inOtherVersion(route: PlatformRoute): PlatformRoute {
  const path = route.path.replace(/^\/api\/v(\d)/, (_, version) => `/api/v${3 - Number(version)}`);
  return { ...route, path };
}
