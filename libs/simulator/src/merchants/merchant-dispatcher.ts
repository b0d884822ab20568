import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import { clientIdOf } from '../tokens/oauth-form.dto.js';
import { bearerOf } from '../tokens/tokens.service.js';
import type { SimulatedMerchant } from './merchant.model.js';
import type { Merchants } from './merchants.service.js';

/** The endpoints of one merchant, by method and path. */
export interface MerchantEndpoints {
  readonly routes: ReadonlyMap<string, PlatformRoute>;
}

/**
 * Sends each request to the services of the merchant whose credentials it has. The services of one merchant cannot reach the resources of
 * another, so no endpoint can fail to check the owner.
 */
export class MerchantDispatcher {
  /**
   * @param nobody the services of a merchant whose credentials nobody has. They refuse every request that belongs to no merchant, with the
   * same answers and faults as those of a merchant
   */
  constructor(
    private readonly merchants: Merchants,
    private readonly servicesOf: (merchant: SimulatedMerchant) => MerchantEndpoints,
    private readonly nobody: MerchantEndpoints,
    private readonly strict: boolean,
  ) {}

  /** Returns the endpoints, which are the same for all merchants. */
  routes(): PlatformRoute[] {
    return Array.from(this.nobody.routes, ([key, route]) => ({
      ...route,
      handle: (exchange: PlatformExchange) => {
        const merchant = this.merchantOf(route, exchange);
        if (!merchant) return this.nobody.routes.get(key)!.handle(exchange);
        exchange.belongsTo(merchant.name);
        return this.servicesOf(merchant).routes.get(key)!.handle(exchange);
      },
    }));
  }

  private merchantOf(
    { method, path }: PlatformRoute,
    exchange: PlatformExchange,
  ): SimulatedMerchant | undefined {
    if (method === 'POST' && path.startsWith('/oauth/'))
      return this.merchants.ofClientId(clientIdOf(exchange, this.strict));
    return this.merchants.ofToken(bearerOf(exchange.headers.authorization) ?? '');
  }
}
