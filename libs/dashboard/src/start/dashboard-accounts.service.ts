import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, ModuleRef } from '@nestjs/core';
import { AccountNotFoundError, PaymentsAccount, PaymentsAccounts } from '@tillkit/payments';
import { isAccountName } from '@tillkit/payments/internal/routes';
import { DASHBOARD_ACCOUNT, DASHBOARD_OPTIONS, DASHBOARD_PATH } from '../dashboard.constants.js';
import { DashboardConfigurationError } from '../dashboard.errors.js';
import type { PaymentsDashboardOptions } from '../dashboard.options.js';
import type { HttpRequest } from '../web/http-request.dto.js';
import { notFound } from '../web/page.errors.js';
import { DashboardPaths } from './dashboard-paths.service.js';

/** The accounts of a dashboard: one account, or all of the application. */
@Injectable()
export class DashboardAccounts implements OnModuleInit {
  /** Null in a dashboard of all accounts. */
  private only: PaymentsAccount | null = null;
  all: PaymentsAccounts;

  constructor(
    private readonly modules: ModuleRef,
    private readonly discovery: DiscoveryService,
    private readonly paths: DashboardPaths,
    @Inject(DASHBOARD_OPTIONS) private readonly options: PaymentsDashboardOptions,
    @Inject(DASHBOARD_ACCOUNT) private readonly name: string | null,
    @Inject(DASHBOARD_PATH) private readonly path: string,
  ) {}

  /** @throws DashboardConfigurationError when there is no such account, or its path is taken */
  onModuleInit(): void {
    const declared = this.declared();
    const all = this.provided(PaymentsAccounts);
    if (this.name !== null) {
      this.only = declared.find(({ name }) => name === this.name) ?? null;
      if (!this.only) throw unknownAccount(this.name, declared);
    }
    if (!all) throw nothingToShow();
    this.all = all;
    const routes = declared.map(({ name, path }) => ({ name: `account "${name}"`, path }));
    const added = all.path === null ? [] : [{ name: 'added accounts', path: all.path }];
    this.paths.reserve(this.path, this.name, [...routes, ...added]);
  }

  /** True when the path of a page names its account. */
  get areSeveral(): boolean {
    return this.name === null;
  }

  /**
   * Returns the account of a page. It is loaded if this process does not know it yet.
   * @throws PageError 404 when there is no such account, or the operator may not see it
   * @throws AccountUnavailableError when it cannot be loaded now
   */
  async chosenBy(request: HttpRequest): Promise<PaymentsAccount> {
    const name = this.name ?? (request.params as { account: string }).account;
    const visible = await this.visibleTo(request);
    if (!isAccountName(name) || visible?.includes(name) === false) throw notFound('account');
    try {
      return this.only ?? (await this.all.get(name));
    } catch (error) {
      throw error instanceof AccountNotFoundError ? notFound('account') : error;
    }
  }

  /**
   * Returns the accounts that an operator may see; null means all.
   * @throws TypeError when the function of the host returns something else, so that a mistake shows nothing
   */
  async visibleTo(request: object): Promise<readonly string[] | null> {
    const { accounts } = this.options;
    if (!accounts) return null;
    const names: unknown = await accounts(request as never);
    if (names === null || Array.isArray(names)) return names as string[] | null;
    throw new TypeError(
      `the dashboard option accounts returned ${typeof names}: return a list of names, or null for all accounts`,
    );
  }

  /** Returns a provider of any module, or null. */
  private provided<T>(type: abstract new (...needs: never[]) => T): T | null {
    try {
      return this.modules.get<T>(type as never, { strict: false });
    } catch {
      return null;
    }
  }

  /** Returns the accounts that are declared at the start, including those of modules that are not global. */
  private declared(): PaymentsAccount[] {
    return this.discovery
      .getProviders()
      .filter(({ token }) => token === PaymentsAccount)
      .map(({ instance }) => instance as PaymentsAccount);
  }
}

function nothingToShow(): DashboardConfigurationError {
  return new DashboardConfigurationError([
    'there is no account to show: import PaymentsModule.forRoot() or PaymentsModule.forAccounts() beside PaymentsDashboardModule',
  ]);
}

function unknownAccount(
  name: string,
  declared: readonly PaymentsAccount[],
): DashboardConfigurationError {
  if (declared.length === 0) return nothingToShow();
  const names = declared.map((account) => `'${account.name}'`).join(', ');
  return new DashboardConfigurationError([
    `there is no account "${name}": write account: ${names}, or import PaymentsModule.forRoot({ account: '${name}', ... }). Accounts ` +
      'that come while the application runs are shown by PaymentsDashboardModule.forAccounts()',
  ]);
}
