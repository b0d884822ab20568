import {
  CURRENT,
  externalRecipientsApi,
  OLDER,
} from './external-recipients/external-recipients.controller.js';
import { ExternalRecipients } from './external-recipients/external-recipients.service.js';
import {
  isOpenPayment,
  type IncomingPayment,
} from './incoming-payments/incoming-payment.record.js';
import { incomingPaymentsApi } from './incoming-payments/incoming-payments.controller.js';
import { IncomingPayments } from './incoming-payments/incoming-payments.service.js';
import { PaymentPrompts } from './incoming-payments/payment-prompts.service.js';
import { merchantAccountApis } from './merchant-accounts/merchant-accounts.controller.js';
import { MerchantAccounts } from './merchant-accounts/merchant-accounts.service.js';
import type { MerchantContext } from './merchants/merchant-context.js';
import type { MerchantEndpoints } from './merchants/merchant-dispatcher.js';
import type { SimulatedMerchant } from './merchants/merchant.model.js';
import { payKind } from './pay/pay.kind.js';
import type { OpenPaymentLink } from './payment-links/payment-link.record.js';
import { paymentLinkRoutes } from './payment-links/payment-links.controller.js';
import { PaymentLinks } from './payment-links/payment-links.service.js';
import { DisbursementTransfers, type ReceivingTill } from './payouts/disbursement-transfers.js';
import type { PayoutRequest } from './payouts/payout.model.js';
import { payoutsApi } from './payouts/payouts.controller.js';
import { Payouts } from './payouts/payouts.service.js';
import { pollingApi } from './polling/polling.controller.js';
import { PollingRequests } from './polling/polling.service.js';
import type { Reversal } from './reversals/reversal.record.js';
import { reversalsApi } from './reversals/reversals.controller.js';
import { Reversals } from './reversals/reversals.service.js';
import type { PlatformRoute } from './server/platform-exchange.dto.js';
import { RequestPipeline } from './server/request-pipeline.service.js';
import { resourceRoutes, type ApiResource } from './server/resource-routes.js';
import { sendMoneyKind } from './send-money/send-money.kind.js';
import { settlementTransfersKind } from './settlement-transfers/settlement-transfers.kind.js';
import { smsNotificationsApi } from './sms-notifications/sms-notifications.controller.js';
import { SmsNotifications } from './sms-notifications/sms-notifications.service.js';
import { OAuthForm } from './tokens/oauth-form.dto.js';
import { TokenRoutes } from './tokens/tokens.controller.js';
import { Tokens } from './tokens/tokens.service.js';
import { TillMoney } from './transactions/till-money.service.js';
import { TillPayments } from './transactions/till-payments.service.js';
import { TransactionsStore } from './transactions/transactions.store.js';
import { ItemStore } from './values/item.store.js';
import { webhookEventRoutes } from './webhook-events/webhook-events.controller.js';
import { WebhookEvents } from './webhook-events/webhook-events.service.js';
import { webhookSubscriptionsApi } from './webhook-subscriptions/webhook-subscriptions.controller.js';
import { WebhookSubscriptions } from './webhook-subscriptions/webhook-subscriptions.service.js';

/** Creates the services of one merchant on the platform, and connects them with those that all merchants share. */
export class MerchantServices implements MerchantEndpoints {
  /** The endpoints, by method and path. */
  readonly routes = new Map<string, PlatformRoute>();
  readonly merchant: SimulatedMerchant;
  readonly tokens: Tokens;
  readonly transactions: TransactionsStore;
  readonly payments = new ItemStore<IncomingPayment>();
  readonly payouts = new ItemStore<PayoutRequest>();
  readonly reversals = new ItemStore<Reversal>();
  readonly links = new ItemStore<OpenPaymentLink>();
  readonly paymentLinks: PaymentLinks;
  readonly merchantAccounts = new MerchantAccounts();
  readonly recipients: ExternalRecipients;
  readonly subscriptions = new WebhookSubscriptions();
  readonly events: WebhookEvents;
  readonly money: TillMoney;
  readonly tillPayments: TillPayments;
  private readonly pipeline: RequestPipeline;
  /** Each function continues one kind of work. */
  private readonly unfinished: (() => void)[] = [];

  constructor(
    private readonly context: MerchantContext,
    /** The till with this number, of any merchant. */
    private readonly receiverAt: (tillNumber: string) => ReceivingTill | undefined,
  ) {
    const { settings, merchant, clock, baseUrl } = context;
    const { tokenLifetime, singleToken } = settings;
    this.merchant = merchant;
    this.transactions = new TransactionsStore(merchant.name);
    this.recipients = new ExternalRecipients((number) => receiverAt(number)?.till);
    this.tokens = new Tokens(clock, tokenLifetime, singleToken, merchant.tokenPrefix);
    this.events = new WebhookEvents(context, this.subscriptions);
    this.money = new TillMoney(context, this.transactions, this.events);
    this.tillPayments = new TillPayments(context, this.money);
    this.paymentLinks = new PaymentLinks(context, this.links, this.money);
    this.pipeline = new RequestPipeline(settings, this.tokens, baseUrl);
    const form = new OAuthForm(settings, merchant);
    this.add(new TokenRoutes(this.tokens, form, merchant.clientId).routes());
    this.addMoneyIn();
    this.addMoneyOut();
  }

  /** Returns the objects whose data is kept in a file. */
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

  /** Continues the open work of a platform that has stopped. */
  resume(): void {
    for (const resume of this.unfinished) resume();
  }

  private add(routes: readonly PlatformRoute[]): void {
    for (const route of routes) this.routes.set(`${route.method} ${route.path}`, route);
  }

  /** The endpoints of a resource, in one version of the API or in both. */
  private addResource<Body, Item>(resource: ApiResource<Body, Item>, hasBoth = false): void {
    const routes = resourceRoutes(this.pipeline, resource);
    this.add(routes);
    if (hasBoth) this.add(routes.map(inOtherVersion));
  }

  /** The endpoints about money that comes in. */
  private addMoneyIn(): void {
    const { context, transactions, events, subscriptions } = this;
    const { strict, apiVersions } = context.settings;
    const hasBoth = apiVersions === 'both';
    const payments = new IncomingPayments(context, this.payments, this.money);
    const prompts = new PaymentPrompts(context, payments);
    this.unfinished.push(
      () => this.paymentLinks.resume(),
      () => {
        for (const payment of this.payments.all().filter(isOpenPayment)) {
          const till = this.merchant.tills.find(payment.request.till_number);
          if (till) prompts.resume(payment, till);
        }
      },
    );
    this.addResource(webhookSubscriptionsApi(context, subscriptions), hasBoth);
    this.addResource(incomingPaymentsApi(context, payments, prompts), hasBoth);
    this.addResource(pollingApi(context, new PollingRequests(context, transactions)), hasBoth);
    const sms = smsNotificationsApi(context, events, new SmsNotifications(context));
    this.addResource(sms, !strict && hasBoth);
    this.add(paymentLinkRoutes(context, this.pipeline, this.paymentLinks));
    this.add(webhookEventRoutes(this.pipeline, events, transactions));
  }

  /** The endpoints of everything that sends money out. */
  private addMoneyOut(): void {
    const { context, recipients, merchantAccounts, transactions } = this;
    const { strict, apiVersions } = context.settings;
    // Clients with one version for all endpoints use version 2 of the older endpoints too.
    const hasBoth = !strict && apiVersions === 'both';
    const sendMoney = sendMoneyKind(context, recipients, merchantAccounts);
    const pay = payKind(context, recipients);
    const settlements = settlementTransfersKind(context, merchantAccounts);
    const transfers = new DisbursementTransfers(
      context,
      this.receiverAt,
      transactions,
      this.events,
    );
    const formats = [sendMoney.format, pay.format, settlements.format];
    const payouts = new Payouts(context, this.payouts, transfers, formats);
    const reversals = new Reversals(context, this.reversals, transactions, this.money);
    this.unfinished.push(
      () => payouts.resume(),
      () => reversals.resume(),
    );
    this.addResource(externalRecipientsApi(context, recipients, CURRENT));
    this.addResource(externalRecipientsApi(context, recipients, OLDER), hasBoth);
    for (const api of merchantAccountApis(context, merchantAccounts)) this.addResource(api);
    this.addResource(reversalsApi(context, reversals));
    this.addResource(payoutsApi(payouts, sendMoney));
    this.addResource(payoutsApi(payouts, pay), hasBoth);
    this.addResource(payoutsApi(payouts, settlements), hasBoth);
  }
}

/** Returns the same endpoint in version 1 instead of 2, or in 2 instead of 1. Its resources have locations in its own version. */
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
