import { Injectable } from '@nestjs/common';
import { DashboardConfigurationError } from '../dashboard.errors.js';

/** Where in an application its dashboards are, and where its payments routes are: none may lie within another. */
@Injectable()
export class DashboardPlaces {
  private readonly dashboards = new Map<string, string>();

  /** @throws DashboardConfigurationError when the path is another dashboard's, or payments routes lie there */
  add(path: string, account: string, accounts: readonly { name: string; path: string }[]): void {
    const place = normal(path);
    for (const [taken, owner] of this.dashboards) {
      if (!overlap(place, taken)) continue;
      throw new DashboardConfigurationError([
        `the dashboards of accounts "${owner}" and "${account}" meet at path "${path}": give one of them its own, ` +
          `PaymentsDashboardModule.forRoot({ account: '${account}', path: '${account}-dashboard', ... })`,
      ]);
    }
    for (const other of accounts) {
      if (!isWithin(normal(other.path), place)) continue;
      throw new DashboardConfigurationError([
        `path "${path}" is where the platform posts to (path "${other.path}" of PaymentsModule, account "${other.name}"): ` +
          `give the dashboard another one, such as path: '${path}-dashboard'`,
      ]);
    }
    this.dashboards.set(place, account);
  }
}

function overlap(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function isWithin(path: string, place: string): boolean {
  return `${path}/`.startsWith(`${place}/`);
}

function normal(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').toLowerCase();
}
