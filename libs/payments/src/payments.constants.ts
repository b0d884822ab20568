import type { InjectionToken } from '@nestjs/common';

/** Injection token of the options as the host gave them. */
export const PAYMENTS_OPTIONS = Symbol('PAYMENTS_OPTIONS');

/** Injection token of a service of a named account; see `@InjectPayments`. */
export function accountToken(service: { name: string }, account: string): InjectionToken {
  return `tillkit:${account}:${service.name}`;
}
