import { Injectable } from '@nestjs/common';
import type { Permit } from './background-requests.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import type { CurrentSettings } from '../accounts/payments.settings.js';
import { PerAccount } from '../runtime/per-account.js';
import { Runtime } from '../runtime/clock.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { BareCallbacks, BareRequests } from './bare-requests.js';
import { CallbackUrls } from './callback-urls.js';
import { IncomingPaymentsService } from './resources/incoming-payments.service.js';
import { PayService } from './resources/pay.service.js';
import { BarePaymentLinksService } from './resources/bare-payment-links.service.js';
import { PlatformClient } from './platform-client.js';
import { PollingService } from './resources/polling.service.js';
import { ReversalsService } from './resources/reversals.service.js';
import { SendMoneyService } from './resources/send-money.service.js';
import { SettlementTransfersService } from './resources/settlement-transfers.service.js';
import { SmsNotificationsService } from './resources/sms-notifications.service.js';
import { AuthorizedRequests } from './http/authorized-requests.js';
import { AccountTokens, type TokensService } from './tokens/tokens.service.js';

/**
 * The resources of each account. An account costs nothing until its first use; then it has one token and one set of services, which
 * hold no timer and no connection of their own.
 */
@Injectable()
export class Resources {
  private readonly made: PerAccount<AccountResources>;

  constructor(
    requests: AuthorizedRequests,
    tokens: AccountTokens,
    urls: CallbackUrls,
    bareRequests: BareRequests,
    accounts: AccountRegistry,
    shutdown: ShutdownSignal,
    runtime: Runtime,
  ) {
    this.made = new PerAccount((account) => {
      const settings = accounts.following(account);
      const own = tokens.service(settings);
      const client = new PlatformClient(requests, own, shutdown, settings, runtime);
      return new AccountResources(client, own, urls, bareRequests, settings, runtime);
    }, accounts.closed$);
  }

  /** @param permit of the background request that uses them */
  resources(account: string, permit?: Permit): AccountResources {
    const resources = this.made.get(account);
    return permit ? resources.withPermit(permit) : resources;
  }
}

/**
 * The resources of one account that other parts of the library use, and what a service of a further resource is made from.
 */
export class AccountResources {
  readonly incomingPayments: IncomingPaymentsService;
  readonly polling: PollingService;
  readonly sendMoney: SendMoneyService;
  readonly reversals: ReversalsService;
  readonly paymentLinks: BarePaymentLinksService;
  readonly settlementTransfers: SettlementTransfersService;
  readonly pay: PayService;
  readonly smsNotifications: SmsNotificationsService;

  constructor(
    readonly client: PlatformClient,
    readonly tokens: TokensService,
    readonly urls: CallbackUrls,
    private readonly bareRequests: BareRequests,
    readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
  ) {
    const callbacks = new BareCallbacks(urls, settings, runtime);
    this.incomingPayments = new IncomingPaymentsService(
      client,
      urls,
      bareRequests,
      settings,
      runtime,
    );
    this.polling = new PollingService(client, callbacks, (id) =>
      bareRequests.pollings$.next({ account: settings.current.account, id }),
    );
    this.sendMoney = new SendMoneyService(client, callbacks, settings);
    this.reversals = new ReversalsService(client, callbacks);
    this.paymentLinks = new BarePaymentLinksService(client, callbacks, settings);
    this.settlementTransfers = new SettlementTransfersService(client, callbacks, settings);
    this.pay = new PayService(client, callbacks, settings);
    this.smsNotifications = new SmsNotificationsService(client, callbacks);
  }

  withPermit(permit: Permit): AccountResources {
    const { client, tokens, urls, bareRequests, settings, runtime } = this;
    return new AccountResources(
      client.withPermit(permit),
      tokens,
      urls,
      bareRequests,
      settings,
      runtime,
    );
  }
}
