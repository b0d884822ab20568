import { Injectable } from '@nestjs/common';
import { DEFAULTS } from '../payments.constants.js';
import type { RawRouteMark } from './raw-route.decorator.js';

/** A route of ours as the HTTP server knows it, with the host's global prefix in it. */
export interface KnownRoute {
  mark: RawRouteMark;
  /** Such as `/api/payments/webhooks`. */
  path: string;
}

/** Largest bodies that an account takes, in bytes. */
export type BodyLimits = Readonly<Record<RawRouteMark['kind'], number>>;

const WEBHOOKS = /\/webhooks$/;
const DEFAULT_LIMITS: BodyLimits = {
  webhook: DEFAULTS.deliveries.maxWebhookBytes,
  callback: DEFAULTS.deliveries.maxCallbackBytes,
};

/** What is known of our routes across the application: where they really are, and how much they take. */
@Injectable()
export class RouteCatalogue {
  private source: () => readonly KnownRoute[] = () => [];
  private readonly limits = new Map<string, BodyLimits>();

  /** Says where the routes are looked up: the HTTP server, since no public API of Nest tells a library. */
  readFrom(source: () => readonly KnownRoute[]): void {
    this.source = source;
  }

  /**
   * What stands before `webhooks` and `callbacks` in the routes of an account, such as `/api/payments`; null where there
   * are no routes (an application context without HTTP).
   */
  baseOf(account: string): string | null {
    const route = this.source().find(
      ({ mark, path }) => mark.account === account && WEBHOOKS.test(path),
    );
    return route ? route.path.replace(WEBHOOKS, '') : null;
  }

  setLimits(account: string, limits: BodyLimits): void {
    this.limits.set(account, limits);
  }

  limitOf({ account, kind }: RawRouteMark): number {
    return (this.limits.get(account) ?? DEFAULT_LIMITS)[kind];
  }
}
