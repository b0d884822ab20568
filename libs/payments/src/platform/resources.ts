import { Injectable } from '@nestjs/common';
import { BackgroundRequests, type Turn } from '../work/background-requests.js';
import { PlatformClocks } from '../work/platform.clock.js';
import { PlatformHttp } from './http/platform.http.js';
import { KnownAccounts } from '../work/known.accounts.js';
import type { CurrentSettings } from '../work/payments.settings.js';
import { PerAccount } from '../work/per-account.js';
import { Runtime } from '../work/runtime.js';
import { PausesStore } from '../store/pauses.store.js';
import { PlatformWaits } from '../work/platform.waits.js';
import { ShutdownSignal } from '../work/shutdown.signal.js';
import { BareCallbacks } from './bare-callbacks.js';
import { BareRequests } from './bare-requests.js';
import { CallbackUrls } from '../work/callback-urls.js';
import { IncomingPaymentsService } from './resources/incoming-payments/incoming-payments.service.js';
import { PayService } from './resources/pay/pay.service.js';
import { BarePaymentLinksService } from './resources/payment-links/bare-payment-links.service.js';
import { PlatformClient } from './platform.client.js';
import { PollingWindowsService } from './resources/polling/polling-windows.service.js';
import { PollingService } from './resources/polling/polling.service.js';
import { ReversalsService } from './resources/reversals/reversals.service.js';
import { SendMoneyService } from './resources/send-money/send-money.service.js';
import { SettlementTransfersService } from './resources/settlement-transfers/settlement-transfers.service.js';
import { SmsNotificationsService } from './resources/sms-notifications/sms-notifications.service.js';
import { TokensService } from './tokens/tokens.service.js';
import { TokensStore } from '../store/tokens.store.js';

/**
 * The resources of each account. An account costs nothing until its first use; then it has one token and one set of services, which
 * hold no timer and no connection of their own.
 */
@Injectable()
export class Resources {
  private readonly made: PerAccount<AccountResources>;

  constructor(
    readonly accounts: KnownAccounts,
    readonly http: PlatformHttp,
    readonly background: BackgroundRequests,
    readonly clocks: PlatformClocks,
    readonly tokensStore: TokensStore,
    readonly pauses: PausesStore,
    readonly waits: PlatformWaits,
    readonly urls: CallbackUrls,
    readonly bareRequests: BareRequests,
    readonly shutdown: ShutdownSignal,
    readonly runtime: Runtime,
  ) {
    this.made = new PerAccount(
      (account) => new AccountResources(accounts.following(account), this),
      accounts.forgotten$,
    );
  }

  /** @param turn of the background request that uses them */
  of(account: string, turn?: Turn): AccountResources {
    const resources = this.made.of(account);
    return turn ? resources.inTurn(turn) : resources;
  }
}

/**
 * The resources of one account that other parts of the library use, and what a service of a further resource is made from.
 */
export class AccountResources {
  readonly urls: CallbackUrls;
  readonly tokens: TokensService;
  readonly client: PlatformClient;
  readonly incomingPayments: IncomingPaymentsService;
  readonly polling: PollingService;
  readonly pollingWindows: PollingWindowsService;
  readonly bareCallbacks: BareCallbacks;
  readonly sendMoney: SendMoneyService;
  readonly reversals: ReversalsService;
  readonly paymentLinks: BarePaymentLinksService;
  readonly settlementTransfers: SettlementTransfersService;
  readonly pay: PayService;
  readonly smsNotifications: SmsNotificationsService;

  constructor(
    readonly settings: CurrentSettings,
    /** What all accounts share. */
    private readonly shared: Omit<Resources, 'of'>,
    own?: Pick<AccountResources, 'tokens' | 'client'>,
  ) {
    const {
      accounts,
      http,
      background,
      clocks,
      tokensStore,
      pauses,
      waits,
      urls,
      bareRequests,
      shutdown,
      runtime,
    } = shared;
    const tokens =
      own?.tokens ?? new TokensService(http, tokensStore, accounts, shutdown, settings, runtime);
    const client =
      own?.client ??
      new PlatformClient(
        http,
        tokens,
        clocks,
        background,
        pauses,
        waits,
        shutdown,
        settings,
        runtime,
      );
    this.bareCallbacks = new BareCallbacks(urls, settings, runtime);
    this.urls = urls;
    this.tokens = tokens;
    this.client = client;
    this.incomingPayments = new IncomingPaymentsService(
      client,
      urls,
      bareRequests,
      clocks,
      settings,
      runtime,
    );
    this.polling = new PollingService(client, this.bareCallbacks, settings);
    this.pollingWindows = new PollingWindowsService(
      (turn) => this.inTurn(turn).polling,
      background,
      urls,
      shutdown,
      settings,
      runtime,
    );
    this.sendMoney = new SendMoneyService(client, this.bareCallbacks, settings);
    this.reversals = new ReversalsService(client, this.bareCallbacks);
    this.paymentLinks = new BarePaymentLinksService(client, this.bareCallbacks, settings);
    this.settlementTransfers = new SettlementTransfersService(client, this.bareCallbacks);
    this.pay = new PayService(client, this.bareCallbacks);
    this.smsNotifications = new SmsNotificationsService(client, this.bareCallbacks);
  }

  inTurn(turn: Turn): AccountResources {
    const { tokens, client } = this;
    return new AccountResources(this.settings, this.shared, {
      tokens,
      client: client.inTurn(turn),
    });
  }
}
