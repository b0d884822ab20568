import { Injectable } from '@nestjs/common';
import { KnownAccounts } from '../work/known-accounts.js';
import { CallbackUrls, type CallbackResource } from '../work/callback-urls.js';
import { sealedMac } from '../work/url-mac-sealing.js';
import { pathSegments } from '../money/identifier.js';
import { RouteRegistry } from './route-registry.js';
import { urlMac } from './url-mac.js';

/** Builds all URLs that we give to the platform: public URL, the host's prefix as the server has it, our path, the MAC. */
@Injectable()
export class SignedCallbackUrls extends CallbackUrls {
  constructor(
    private readonly registry: RouteRegistry,
    private readonly accounts: KnownAccounts,
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
    const [secret] = this.accounts.of(account).urlSecrets;
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
    if (isSigned || this.accounts.of(account).apiKeys.length > 0) return true;
    return this.macs(account, resource, id).some((mac) => sealedMac(mac) === tail[2]);
  }

  private macs(account: string, resource: CallbackResource, id: string): string[] {
    return this.accounts
      .of(account)
      .urlSecrets.map((secret) => urlMac({ purpose: 'callback', account, resource, id }, secret));
  }

  private url(account: string, segments: readonly string[], mac: string | undefined): string {
    return [this.root(account), ...segments, ...(mac ? [mac] : [])].join('/');
  }
}
