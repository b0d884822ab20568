import type { InjectionToken } from '@nestjs/common';

/** Injection token of the options as the host gave them. */
export const PAYMENTS_OPTIONS = Symbol('PAYMENTS_OPTIONS');

/** Injection token of what accounts that come while the application runs have in common. */
export const ADDED_ACCOUNTS = Symbol('ADDED_ACCOUNTS');

/** Injection token of the name of the account of a module. */
export const ACCOUNT_NAME = Symbol('ACCOUNT_NAME');

/** Injection token of a service of a named account; see `@InjectPayments`. */
export function accountToken(service: { name: string }, account: string): InjectionToken {
  return `tillkit:${account}:${service.name}`;
}
