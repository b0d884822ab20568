import { Injectable } from '@nestjs/common';
import { AccountRegistry } from '../accounts/account-registry.js';
import { pathSegments } from '../money/values.js';
import { DEFAULTS } from '../payments-defaults.js';
import { type CallbackResource, CallbackUrls, sealedMac } from '../platform/callback-urls.js';
import {
  accountOf,
  type DeliveryRouteMark,
  largestBody,
  type RawRouteMark,
} from './delivery-route.js';
import type { BodyLimits, RawExchange } from './raw-body.js';
import { urlMac } from './url-mac.js';

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

  constructor(private readonly accounts: AccountRegistry) {}

  /** Sets the source of the routes: the HTTP server, because Nest has no public API for them. */
  readFrom(source: () => readonly KnownRoute[]): void {
    this.source = source;
  }

  /** Returns the path to which the platform posts webhooks of the account that was declared first; undefined without HTTP. */
  webhookPath(): string | undefined {
    return this.webhookRoute(() => true)?.path;
  }

  private webhookRoute(isOf: (mark: DeliveryRouteMark) => boolean): KnownRoute | undefined {
    return this.source().find(
      ({ mark, path }) => mark.kind === 'webhook' && isOf(mark) && WEBHOOKS.test(path),
    );
  }

  /**
   * Returns the public URL of an account's routes, before `webhooks` and `callbacks`: with the path that the HTTP server has, or, in an application
   * context without HTTP, with the configured one.
   */
  urlOf(account: string): string {
    const { publicUrl, path } = this.accounts.settings(account);
    const inPath = this.accounts.isAdded(account);
    const route = this.webhookRoute((mark) => mark.account === (inPath ? null : account));
    const routePath = route?.path.replace(WEBHOOKS, '').replace(ACCOUNT, account);
    return publicUrl + (routePath ?? `/${path.replace(/^\/+|\/+$/g, '')}`);
  }

  /** Returns the limits of a body on a route. */
  limitsOf({ mark, params }: Pick<RawExchange, 'mark' | 'params'>): BodyLimits {
    if (mark.kind === 'form') return { maxBytes: mark.maxBytes, withinMs: FORM_TIMEOUT_MS };
    const settings = this.accounts.toVerify(accountOf(mark, { headers: {}, params }));
    const withinMs = settings?.deliveries.bodyTimeoutMs ?? DEFAULTS.deliveries.bodyTimeoutMs;
    return { maxBytes: largestBody(mark.kind), withinMs };
  }
}

/** Builds all URLs that we give to the platform: public URL, the host's prefix as the server has it, our path, the MAC. */
@Injectable()
export class SignedCallbackUrls extends CallbackUrls {
  constructor(
    private readonly registry: RouteRegistry,
    private readonly accounts: AccountRegistry,
  ) {
    super();
  }

  root(account: string): string {
    return this.registry.urlOf(account);
  }

  callback(account: string, resource: CallbackResource, id: string): string {
    return this.url(account, ['callbacks', resource, id], this.macs(account, resource, id)[0]);
  }

  webhook(account: string): string {
    const [secret] = this.accounts.settings(account).urlSecrets;
    const mac = secret && urlMac({ purpose: 'webhook', account }, secret);
    return this.url(account, ['webhooks'], mac);
  }

  isHandedOut(
    account: string,
    resource: CallbackResource,
    id: string,
    sealedUrl: string,
    isSigned: boolean,
  ): boolean {
    const tail = pathSegments(sealedUrl).slice(
      pathSegments(sealedUrl).lastIndexOf('callbacks') + 1,
    );
    if (tail[0] !== resource || tail[1] !== id || tail.length > 3) return false;
    // The signature covers the body with this URL, so the URL is ours even if the secret of its MAC is not set any more.
    if (isSigned || this.accounts.settings(account).apiKeys.length > 0) return true;
    return this.macs(account, resource, id).some((mac) => sealedMac(mac) === tail[2]);
  }

  private macs(account: string, resource: CallbackResource, id: string): string[] {
    return this.accounts
      .settings(account)
      .urlSecrets.map((secret) => urlMac({ purpose: 'callback', account, resource, id }, secret));
  }

  private url(account: string, segments: readonly string[], mac: string | undefined): string {
    return [this.root(account), ...segments, ...(mac ? [mac] : [])].join('/');
  }
}
