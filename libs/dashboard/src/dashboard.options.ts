import type { CanActivate, ModuleMetadata, Type } from '@nestjs/common';

/** The words that open the dashboard to whoever reaches it, such as a sidecar behind a gateway of your own. */
export const UNGUARDED = 'anyone may see every payment';

/**
 * Who is looking, for the log of look-ups and replays: a name or an address, never a secret.
 * @param request the request as Express or Fastify has it, with what your guards put on it
 * @publicApi
 */
export type OperatorOf = (request: never) => string | null | undefined;

/** Options that may also come from a factory, see `forRootAsync`. @publicApi */
export interface PaymentsDashboardOptions {
  /** Names the person in the log of look-ups and replays. @default 'unknown operator' */
  operator?: OperatorOf;
  /** Time zone in which times are shown and read, such as `Africa/Nairobi`. @default 'UTC' */
  timeZone?: string;
}

/** What Nest must know before any factory runs; in `forRootAsync` it stands beside the factory. @publicApi */
export interface PaymentsDashboardExtras {
  /** Path of the pages, below the host's global prefix. @default 'payments-dashboard' */
  path?: string;
  /** The account whose payments are shown. @default 'default' */
  account?: string;
  /** Who may see the pages: guards as classes, with what they inject found in `imports`, or as instances. All must agree. */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Says, in so many words, that there is to be no guard: `'anyone may see every payment'`. */
  unguarded?: typeof UNGUARDED;
  /** Modules that export what the guards, or the factory, inject. */
  imports?: ModuleMetadata['imports'];
}
