import { Injectable } from '@nestjs/common';
import { DEFAULTS } from '../payments-defaults.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { accountOf, largestBody } from './delivery-route.js';
import type { RawExchange } from './raw-exchange.js';
import type { BodyLimits } from './body.reader.js';
import type { DeliveryRouteMark, RawRouteMark } from './raw-route.decorator.js';

/** One of our routes as the HTTP server has it, with the host's global prefix. */
export interface KnownRoute {
  mark: RawRouteMark;
  /** For example `/api/payments/webhooks`. */
  path: string;
}

const FORM_TIMEOUT_MS = DEFAULTS.deliveries.bodyTimeoutMs;

const WEBHOOKS = /\/webhooks$/;

/** The parameter of a path, as Express and Fastify write it. */
const ACCOUNT = /:account\b/;

/** The paths and body limits of our routes in the whole application. */
@Injectable()
export class RouteRegistry {
  private source: () => readonly KnownRoute[] = () => [];

  constructor(private readonly accounts: KnownAccounts) {}

  /** Sets the source of the routes: the HTTP server, because Nest has no public API for them. */
  readFrom(source: () => readonly KnownRoute[]): void {
    this.source = source;
  }

  /** Where the platform posts webhooks to, of the account that was declared first; undefined without HTTP. */
  webhookPath(): string | undefined {
    return this.webhookRoute(() => true)?.path;
  }

  private webhookRoute(isOf: (mark: DeliveryRouteMark) => boolean): KnownRoute | undefined {
    return this.source().find(
      ({ mark, path }) => mark.kind === 'webhook' && isOf(mark) && WEBHOOKS.test(path),
    );
  }

  /**
   * The public URL of an account's routes, before `webhooks` and `callbacks`: with the path that the HTTP server has, or, in an
   * application context without HTTP, with the configured one.
   */
  urlOf(account: string): string {
    const { publicUrl, path } = this.accounts.of(account);
    const inPath = this.accounts.isAdded(account);
    const route = this.webhookRoute((mark) => mark.account === (inPath ? null : account));
    const routePath = route?.path.replace(WEBHOOKS, '').replace(ACCOUNT, account);
    return publicUrl + (routePath ?? `/${path.replace(/^\/+|\/+$/g, '')}`);
  }

  /** Limits of a body on a route. */
  limitsOf({ mark, params }: Pick<RawExchange, 'mark' | 'params'>): BodyLimits {
    if (mark.kind === 'form') return { maxBytes: mark.maxBytes, withinMs: FORM_TIMEOUT_MS };
    const settings = this.accounts.toVerify(accountOf(mark, { headers: {}, params }));
    const withinMs = settings?.deliveries.bodyTimeoutMs ?? DEFAULTS.deliveries.bodyTimeoutMs;
    return { maxBytes: largestBody(mark.kind), withinMs };
  }
}
