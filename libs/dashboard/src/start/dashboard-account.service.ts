import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, ModuleRef } from '@nestjs/core';
import {
  DeliveriesService,
  EventsService,
  getPaymentsToken,
  PaymentsAccount,
  PaymentsService,
  ReconciliationService,
  type PaymentsStore,
} from '@tillkit/payments';
import { DASHBOARD_ACCOUNT, DASHBOARD_PATH } from '../dashboard.constants.js';
import { DashboardConfigurationError } from '../dashboard.errors.js';
import { DashboardPaths } from './dashboard-paths.service.js';

/** The account of this dashboard: its store, and the services that change it. */
@Injectable()
export class DashboardAccount implements OnModuleInit {
  private found: PaymentsAccount;
  payments: PaymentsService;
  reconciliation: ReconciliationService;
  deliveries: DeliveriesService;
  events: EventsService;

  constructor(
    private readonly modules: ModuleRef,
    private readonly discovery: DiscoveryService,
    private readonly paths: DashboardPaths,
    @Inject(DASHBOARD_ACCOUNT) readonly name: string,
    @Inject(DASHBOARD_PATH) private readonly path: string,
  ) {}

  /** @throws DashboardConfigurationError when there is no such account, or its path is taken */
  onModuleInit(): void {
    const accounts = this.accounts();
    const found = accounts.find(({ name }) => name === this.name);
    if (!found) throw this.unknown(accounts);
    this.paths.claim(this.path, this.name, accounts);
    this.found = found;
    this.payments = this.service(PaymentsService);
    this.reconciliation = this.service(ReconciliationService);
    this.deliveries = this.service(DeliveriesService);
    this.events = this.service(EventsService);
  }

  get store(): PaymentsStore {
    return this.found.store;
  }

  /** The international form of a phone number that an operator typed; null when the text is not a phone number. */
  readPhone(text: string): string | null {
    const digits = text.replace(/[^\d]/g, '');
    // Also accepted: the international form without +, or with 00 instead of it.
    return (
      this.found.toInternationalPhone(text) ??
      this.found.toInternationalPhone(`+${digits.replace(/^00/, '')}`)
    );
  }

  /** Every account of the application, including those of modules that are not global. */
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
