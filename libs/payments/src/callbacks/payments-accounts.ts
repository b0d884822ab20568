import { Injectable } from '@nestjs/common';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { RouteCatalogue } from './route.catalogue.js';

/** The accounts of one application: they may share everything but a name and a path. */
@Injectable()
export class PaymentsAccounts {
  private readonly paths = new Map<string, string>();

  constructor(private readonly catalogue: RouteCatalogue) {}

  /** @throws PaymentsConfigurationError when an account's name or path is taken */
  add({ account, deliveries }: ResolvedPaymentsOptions, path: string): void {
    const normal = path.replace(/^\/+|\/+$/g, '').toLowerCase();
    if (this.paths.has(account)) {
      throw new PaymentsConfigurationError([
        `account "${account}" is imported twice: give one of them a name, PaymentsModule.forRoot({ account: 'other', ... })`,
      ]);
    }
    for (const [other, taken] of this.paths) {
      if (taken !== normal) continue;
      throw new PaymentsConfigurationError([
        `accounts "${other}" and "${account}" both have the path "${path}": give one of them its own, ` +
          `PaymentsModule.forRoot({ account: '${account}', path: '${path}/${account}', ... })`,
      ]);
    }
    this.paths.set(account, normal);
    this.catalogue.setLimits(account, {
      webhook: deliveries.maxWebhookBytes,
      callback: deliveries.maxCallbackBytes,
    });
  }
}
