import { Injectable } from '@nestjs/common';
import { DashboardConfigurationError } from '../dashboard.errors.js';

/** The paths of all dashboards of an application. They must not overlap, and must not contain payments routes. */
@Injectable()
export class DashboardPaths {
  private readonly owners = new Map<string, string>();

  /** @throws DashboardConfigurationError when the path overlaps another dashboard's, or contains payments routes */
  claim(path: string, account: string, accounts: readonly { name: string; path: string }[]): void {
    const claimed = normalise(path);
    for (const [other, owner] of this.owners) {
      if (!isWithin(claimed, other) && !isWithin(other, claimed)) continue;
      throw new DashboardConfigurationError([
        `the dashboards of accounts "${owner}" and "${account}" overlap at path "${path}": give one of them its own, ` +
          `PaymentsDashboardModule.forRoot({ account: '${account}', path: '${account}-dashboard', ... })`,
      ]);
    }
    for (const other of accounts) {
      if (!isWithin(normalise(other.path), claimed)) continue;
      throw new DashboardConfigurationError([
        `path "${path}" contains the routes of PaymentsModule (path "${other.path}", account "${other.name}"): ` +
          `give the dashboard another path, such as path: '${path}-dashboard'`,
      ]);
    }
    this.owners.set(claimed, account);
  }
}

function isWithin(path: string, parent: string): boolean {
  return `${path}/`.startsWith(`${parent}/`);
}

function normalise(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').toLowerCase();
}
