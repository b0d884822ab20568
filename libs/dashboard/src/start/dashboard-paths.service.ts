import { Injectable } from '@nestjs/common';
import { DashboardConfigurationError } from '../dashboard.errors.js';

/** The paths of all dashboards of an application. They must not overlap, and must not contain payments routes. */
@Injectable()
export class DashboardPaths {
  private readonly owners = new Map<string, string | null>();

  /**
   * @param account null means all accounts
   * @param routes the paths of payments routes, with the owner of each
   * @throws DashboardConfigurationError when the path overlaps another dashboard's, or contains payments routes
   */
  reserve(
    path: string,
    account: string | null,
    routes: readonly { name: string; path: string }[],
  ): void {
    const reserved = normalise(path);
    for (const [other, owner] of this.owners) {
      if (!isWithin(reserved, other) && !isWithin(other, reserved)) continue;
      throw new DashboardConfigurationError([
        `the dashboards of ${named(owner)} and ${named(account)} overlap at path "${path}": give one of them its own, ${cureFor(account)}`,
      ]);
    }
    for (const other of routes) {
      if (!isWithin(normalise(other.path), reserved)) continue;
      throw new DashboardConfigurationError([
        `path "${path}" contains the routes of PaymentsModule (path "${other.path}", ${other.name}): ` +
          `give the dashboard another path, such as path: '${path}-dashboard'`,
      ]);
    }
    this.owners.set(reserved, account);
  }
}

function named(account: string | null): string {
  return account === null ? 'all accounts' : `account "${account}"`;
}

function cureFor(account: string | null): string {
  return account === null
    ? `PaymentsDashboardModule.forAccounts({ path: 'all-dashboards', ... })`
    : `PaymentsDashboardModule.forRoot({ account: '${account}', path: '${account}-dashboard', ... })`;
}

function isWithin(path: string, parent: string): boolean {
  return `${path}/`.startsWith(`${parent}/`);
}

function normalise(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').toLowerCase();
}
