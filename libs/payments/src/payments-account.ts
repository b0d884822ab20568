import { Inject, Injectable, type InjectionToken, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ACCOUNT_SERVICES } from './account-services.js';
import { AccountRegistry } from './accounts/account-registry.js';
import { type CurrentSettings, PAYMENTS_SETTINGS } from './accounts/payments.settings.js';
import { CHOSEN_STORE } from './application.store.js';
import { toInternationalPhone } from './money/phone-number.js';
import { isSameTill, ownNumberOf } from './money/till-number.js';
import { isSandbox } from './money/values.js';
import { PaymentLinksService } from './operations/payment-links/payment-links.service.js';
import { PaymentsService } from './operations/payments/payments.service.js';
import { PayoutsService } from './operations/payouts/payouts.service.js';
import { RefundsService } from './operations/refunds/refunds.service.js';
import { DEFAULT_ACCOUNT } from './payments-defaults.js';
import type { PaymentsStore } from './payments.store.js';
import { PerAccount } from './runtime/per-account.js';
import { Concealed } from './runtime/validate-input.js';

/**
 * One account: its services, without its secrets.
 * @example
 * const { payments } = await accounts.get(shop.id);
 * await payments.request({ ... });
 * @publicApi
 */
export abstract class PaymentsAccount {
  abstract readonly name: string;
  /** Path of its routes, below the host's global prefix. */
  abstract readonly path: string;
  abstract readonly store: PaymentsStore;
  /** True when the account was removed: it takes no new requests, and its open operations go on. */
  abstract readonly isRemoved: boolean;
  abstract readonly payments: PaymentsService;
  abstract readonly payouts: PayoutsService;
  abstract readonly refunds: RefundsService;
  abstract readonly paymentLinks: PaymentLinksService;

  /**
   * Returns a service of this account.
   * @example account.get(WebhookSubscriptionsService).webhookUrl()
   */
  abstract get<T>(service: Type<T>): T;

  /** Returns the international form of a phone number as people of its country write it; null when it is none. */
  abstract toInternationalPhone(text: string): string | null;

  /** True when two numbers are those of one till, by `tillAliases`. */
  abstract isSameTill(one: string, other: string): boolean;

  /** Returns the own number of the till that a number belongs to, by `tillAliases`. */
  abstract ownNumberOf(tillNumber: string): string;
}

/** Hosts get their accounts from here. An account makes each service at its first use. */
@Injectable()
export class AccountHandles {
  private readonly handles: PerAccount<PaymentsAccount>;

  constructor(
    accounts: AccountRegistry,
    modules: ModuleRef,
    @Inject(CHOSEN_STORE) store: PaymentsStore,
  ) {
    this.handles = new PerAccount(
      (account) => new AccountHandle(accounts.following(account), store, modules),
      accounts.closed$,
    );
  }

  handle(account: string): PaymentsAccount {
    return this.handles.get(account);
  }
}

@Concealed()
class AccountHandle extends PaymentsAccount {
  private readonly services = new Map<Type, unknown>();

  constructor(
    private readonly settings: CurrentSettings,
    readonly store: PaymentsStore,
    private readonly modules: ModuleRef,
  ) {
    super();
  }

  get name(): string {
    return this.settings.current.account;
  }

  get path(): string {
    return this.settings.current.path;
  }

  get isRemoved(): boolean {
    return this.settings.current.isRemoved;
  }

  get payments(): PaymentsService {
    return this.get(PaymentsService);
  }

  get payouts(): PayoutsService {
    return this.get(PayoutsService);
  }

  get refunds(): RefundsService {
    return this.get(RefundsService);
  }

  get paymentLinks(): PaymentLinksService {
    return this.get(PaymentLinksService);
  }

  get<T>(type: Type<T>): T {
    const existing = this.services.get(type);
    const service = (existing ?? this.make(type)) as T;
    if (!existing) this.services.set(type, service);
    return service;
  }

  toInternationalPhone(text: string): string | null {
    const { defaultCountry, baseUrl } = this.settings.current;
    return toInternationalPhone(text, defaultCountry, isSandbox(baseUrl));
  }

  isSameTill(one: string, other: string): boolean {
    return isSameTill(one, [other], this.settings.current.tillAliases);
  }

  ownNumberOf(tillNumber: string): string {
    return ownNumberOf(tillNumber, this.settings.current.tillAliases);
  }

  private make(type: Type): unknown {
    const found = ACCOUNT_SERVICES.find(({ provide }) => provide === type);
    if (!found) throw new Error(`${type.name} is no service of an account`);
    const needs = found.inject.map((token): unknown =>
      token === PAYMENTS_SETTINGS
        ? this.settings
        : this.modules.get(token as Type, { strict: false }),
    );
    return found.useFactory(...(needs as never[]));
  }
}

/**
 * Injects a service of a named account. Needed only when an application has several accounts.
 * @param account name of the account. @default 'default'
 * @param service class of the service. @default PaymentsService
 * @example
 * constructor(@InjectPayments('shop') private readonly payments: PaymentsService) {}
 * @see docs/guide.md#two-merchants-in-one-application
 * @publicApi
 */
export function InjectPayments(
  account: string = DEFAULT_ACCOUNT,
  service: Type = PaymentsService,
): PropertyDecorator & ParameterDecorator {
  return Inject(accountToken(service, account));
}

/**
 * Returns the injection token that {@link InjectPayments} uses, for `app.get()`.
 * @example const payments = app.get<PaymentsService>(getPaymentsToken('shop'));
 * @publicApi
 */
export function getPaymentsToken(
  account: string = DEFAULT_ACCOUNT,
  service: Type = PaymentsService,
): string {
  return accountToken(service, account) as string;
}

/** Injection token of the options as the host gave them. */
export const PAYMENTS_OPTIONS = Symbol('PAYMENTS_OPTIONS');

/** Injection token of what accounts that come while the application runs have in common. */
export const ADDED_ACCOUNTS = Symbol('ADDED_ACCOUNTS');

/** Injection token of the name of the account of a module. */
export const ACCOUNT_NAME = Symbol('ACCOUNT_NAME');

/** Returns the injection token of a service of a named account; see `@InjectPayments`. */
export function accountToken(service: { name: string }, account: string): InjectionToken {
  return `tillkit:${account}:${service.name}`;
}
