import { Injectable } from '@nestjs/common';
import { PaymentsAccounts } from '../../payments.accounts.js';
import type { BodyLimits } from './body.reader.js';
import type { RawRouteMark } from './raw-route.decorator.js';

/** One of our routes as the HTTP server has it, with the host's global prefix. */
export interface KnownRoute {
  mark: RawRouteMark;
  /** For example `/api/payments/webhooks`. */
  path: string;
}

/** Like the default of `deliveries.bodyTimeoutMs`. */
const FORM_TIMEOUT_MS = 10_000;

const WEBHOOKS = /\/webhooks$/;

/** The paths and body limits of our routes in the whole application. */
@Injectable()
export class RouteRegistry {
  private source: () => readonly KnownRoute[] = () => [];

  constructor(private readonly accounts: PaymentsAccounts) {}

  /** Sets the source of the routes: the HTTP server, because Nest has no public API for them. */
  readFrom(source: () => readonly KnownRoute[]): void {
    this.source = source;
  }

  /**
   * The path before `webhooks` and `callbacks` in the routes of an account, such as `/api/payments`. Null when there are no routes:
   * in an application context without HTTP.
   */
  baseOf(account: string): string | null {
    const route = this.source().find(
      ({ mark, path }) =>
        mark.kind === 'webhook' && mark.account === account && WEBHOOKS.test(path),
    );
    return route ? route.path.replace(WEBHOOKS, '') : null;
  }

  /** Limits of a body on a route. */
  limitsOf(mark: RawRouteMark): BodyLimits {
    if (mark.kind === 'form') return { maxBytes: mark.maxBytes, withinMs: FORM_TIMEOUT_MS };
    const { maxWebhookBytes, maxCallbackBytes, bodyTimeoutMs } = this.accounts.of(
      mark.account,
    ).deliveries;
    const maxBytes = mark.kind === 'webhook' ? maxWebhookBytes : maxCallbackBytes;
    return { maxBytes, withinMs: bodyTimeoutMs };
  }
}
