import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common';
import type { RouteDecorator } from '@tillkit/payments/types';

/** The value of `unguarded` for a dashboard without guards, for example behind a gateway that authenticates operators. */
export const UNGUARDED = 'anyone may see every payment';

/** The value of `unguardedActions` for a dashboard whose operators all may act, for example in a demonstration. */
export const UNGUARDED_ACTIONS = 'anyone may move money';

/**
 * Names the operator for the audit log: a name or an e-mail address, never a secret.
 * @param request the request of Express or Fastify, with the properties that your guards added
 * @publicApi
 */
export type OperatorOf = (request: never) => string | null | undefined;

/**
 * Names the accounts whose pages an operator may see; null: all accounts.
 * @param request the request of Express or Fastify, with the properties that your guards added
 * @publicApi
 */
export type AccountsOf = (
  request: never,
) => readonly string[] | null | Promise<readonly string[] | null>;

/** Options that a factory can provide, see `forRootAsync`. @publicApi */
export interface PaymentsDashboardOptions {
  /**
   * Names the operator in the audit log and in the histories of operations. An operator without a name approves no payout, and asks for none
   * that a second person must approve. @default 'unknown operator'
   */
  operator?: OperatorOf;
  /**
   * The accounts that an operator may see: the start page lists no other, and the pages and forms of others are answered 404. Without it,
   * the guards alone decide. @default every account
   */
  accounts?: AccountsOf;
  /**
   * Time zone of all times on the pages and in their forms: `'viewer'`, the one of each operator's browser, or one of the IANA list for
   * everybody, such as `Africa/Nairobi`. A day of a statement begins at midnight in it. @default 'viewer'
   */
  timeZone?: string;
}

/** Options that Nest needs before a factory runs; `forRootAsync` takes them beside the factory. @publicApi */
export interface PaymentsDashboardExtras {
  /** Path of the pages, below the host's global prefix. @default 'payments-dashboard' */
  path?: string;
  /** The account whose payments the pages show. @default 'default' */
  account?: string;
  /** Guards before every page, as classes (their dependencies come from `imports`) or as instances. All must allow a request. */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Opens the pages to everyone, instead of `guards`: `'anyone may see every payment'`. */
  unguarded?: typeof UNGUARDED;
  /**
   * Guards before every page and form that moves money, decides or changes something, after the `guards`: refunds, payouts and their
   * approval, payment links, decisions on reviews, replays, pauses, notes. Classes or instances; all must allow a request. Without them the
   * pages are read-only: these routes do not exist. @default the pages are read-only
   */
  actionGuards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Lets everyone act whom the `guards` let in, instead of `actionGuards`: `'anyone may move money'`. */
  unguardedActions?: typeof UNGUARDED_ACTIONS;
  /**
   * Decorators of the host that the pages need, so that a global guard for another kind of client lets browsers pass:
   * `[Public(), SkipThrottle()]`. The `guards` still apply. They must not read the same metadata. @default []
   */
  controllerDecorators?: readonly RouteDecorator[];
  /** Modules that export the dependencies of both kinds of guards and of the factory. */
  imports?: ModuleMetadata['imports'];
}

/** The options of a dashboard of all accounts that Nest needs before a factory runs. @publicApi */
export type AllAccountsExtras = Omit<PaymentsDashboardExtras, 'account'>;
