import { Inject, Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ACCOUNT_SERVICES } from './account-services.js';
import { KnownAccounts } from './work/known-accounts.js';
import { PaymentLinksService } from './operations/payment-links/payment-links.service.js';
import { PaymentsService } from './operations/payments/payments.service.js';
import { PayoutsService } from './operations/payouts/payouts.service.js';
import { RefundsService } from './operations/refunds/refunds.service.js';
import { PaymentsAccount } from './payments-account.js';
import { CHOSEN_STORE } from './store/store.module.js';
import { PAYMENTS_SETTINGS, type CurrentSettings } from './work/payments.settings.js';
import type { PaymentsStore } from './store/payments.store.js';
import { PerAccount } from './work/per-account.js';
import { Concealed } from './work/concealed.decorator.js';
import { toInternationalPhone } from './money/phone-number.js';
import { isSandbox } from './money/secure-url.js';
import { isSameTill, ownNumberOf } from './money/till-number.js';

/** What hosts get of an account. An account makes each service at its first use. */
@Injectable()
export class AccountHandles {
  private readonly handles: PerAccount<PaymentsAccount>;

  constructor(
    accounts: KnownAccounts,
    modules: ModuleRef,
    @Inject(CHOSEN_STORE) store: PaymentsStore,
  ) {
    this.handles = new PerAccount(
      (account) => new AccountHandle(accounts.following(account), store, modules),
      accounts.forgotten$,
    );
  }

  of(account: string): PaymentsAccount {
    return this.handles.of(account);
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
