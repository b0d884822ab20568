import { Inject, Injectable } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { CallbackUrls, type CallbackResource } from '../resources/callback-urls.js';
import { sealedMac } from '../resources/url-mac.js';
import { pathSegments } from '../values/identifier.js';
import { RouteCatalogue } from './route.catalogue.js';
import { urlMac } from './url-mac.signer.js';

/** Injection token of the path that the routes were declared under. */
export const ROUTE_PATH = Symbol('PAYMENTS_ROUTE_PATH');

/** The one place that builds the URLs we hand out: public URL, the host's prefix as the server has it, our path, the MAC. */
@Injectable()
export class SignedCallbackUrls extends CallbackUrls {
  constructor(
    private readonly catalogue: RouteCatalogue,
    @Inject(ROUTE_PATH) private readonly path: string,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {
    super();
  }

  callback(resource: CallbackResource, id: string): string {
    return this.url(['callbacks', resource, id], this.macs(resource, id)[0]);
  }

  webhook(): string {
    const { account, urlSecrets } = this.options;
    const [secret] = urlSecrets;
    return this.url(['webhooks'], secret && urlMac({ purpose: 'webhook', account }, secret));
  }

  isHandedOut(
    resource: CallbackResource,
    id: string,
    sealedUrl: string,
    isSigned: boolean,
  ): boolean {
    const tail = pathSegments(sealedUrl).slice(
      pathSegments(sealedUrl).lastIndexOf('callbacks') + 1,
    );
    if (tail[0] !== resource || tail[1] !== id || tail.length > 3) return false;
    // The signature vouches for the body that names it, also when the secret of its MAC, or its own key, is not set any more.
    if (isSigned || this.options.apiKeys.length > 0) return true;
    return this.macs(resource, id).some((mac) => sealedMac(mac) === tail[2]);
  }

  private macs(resource: CallbackResource, id: string): string[] {
    const { account, urlSecrets } = this.options;
    return urlSecrets.map((secret) =>
      urlMac({ purpose: 'callback', account, resource, id }, secret),
    );
  }

  private url(segments: readonly string[], mac: string | undefined): string {
    const base =
      this.catalogue.baseOf(this.options.account) ?? `/${this.path.replace(/^\/+|\/+$/g, '')}`;
    return [this.options.publicUrl + base, ...segments, ...(mac ? [mac] : [])].join('/');
  }
}
