import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, ModuleRef } from '@nestjs/core';
import {
  EventDispatcher,
  getPaymentsToken,
  Inbox,
  PaymentsAccount,
  PaymentsService,
  type PaymentsStore,
} from '@tillkit/payments';
import { DASHBOARD_ACCOUNT, DASHBOARD_PATH } from '../dashboard.constants.js';
import { DashboardConfigurationError } from '../dashboard.errors.js';
import { DashboardPlaces } from './dashboard-places.registry.js';

/** The account that is shown: its store, and the services by which it is changed. */
@Injectable()
export class DashboardAccount implements OnModuleInit {
  private found: PaymentsAccount;
  payments: PaymentsService;
  inbox: Inbox;
  dispatcher: EventDispatcher;

  constructor(
    private readonly modules: ModuleRef,
    private readonly discovery: DiscoveryService,
    private readonly places: DashboardPlaces,
    @Inject(DASHBOARD_ACCOUNT) readonly name: string,
    @Inject(DASHBOARD_PATH) private readonly path: string,
  ) {}

  /** @throws DashboardConfigurationError when there is no such account, or its path is taken */
  onModuleInit(): void {
    const accounts = this.accounts();
    const found = accounts.find(({ name }) => name === this.name);
    if (!found) throw this.unknown(accounts);
    this.places.add(this.path, this.name, accounts);
    this.found = found;
    this.payments = this.service(PaymentsService);
    this.inbox = this.service(Inbox);
    this.dispatcher = this.service(EventDispatcher);
  }

  get store(): PaymentsStore {
    return this.found.store;
  }

  /** The international form of a phone number as an operator types it; null when it is none. */
  readPhone(text: string): string | null {
    const digits = text.replace(/[^\d]/g, '');
    // The international form without its +, or with 00 for it, is read in every country.
    return (
      this.found.toInternationalPhone(text) ??
      this.found.toInternationalPhone(`+${digits.replace(/^00/, '')}`)
    );
  }

  /** Every account of the application, also those whose module is not global. */
  private accounts(): PaymentsAccount[] {
    return this.discovery
      .getProviders()
      .filter(({ token }) => token === PaymentsAccount)
      .map(({ instance }) => instance as PaymentsAccount);
  }

  private service<T>(service: new (...dependencies: never[]) => T): T {
    return this.modules.get<T>(getPaymentsToken(this.name, service as new () => T), {
      strict: false,
    });
  }

  private unknown(accounts: readonly PaymentsAccount[]): DashboardConfigurationError {
    const names = accounts.map(({ name }) => `"${name}"`).join(', ');
    return new DashboardConfigurationError([
      accounts.length === 0
        ? 'there is no account to show: import PaymentsModule.forRoot() beside PaymentsDashboardModule'
        : `there is no account "${this.name}": write account: ${names.replaceAll('"', "'")}, or import ` +
          `PaymentsModule.forRoot({ account: '${this.name}', ... })`,
    ]);
  }
}
