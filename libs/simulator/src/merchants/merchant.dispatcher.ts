import type { MerchantServices } from '../merchant.services.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import { clientIdOf } from '../tokens/oauth-form.dto.js';
import { bearerOf } from '../tokens/tokens.service.js';
import type { SimulatedMerchant } from './merchant.model.js';
import type { Merchants } from './merchants.service.js';

/**
 * Lets each request be handled by the services of the merchant whose credentials it has. Those of one merchant have no way to
 * the resources of another, so that no endpoint can forget to check whose they are.
 */
export class MerchantDispatcher {
  /**
   * @param nobody the services of a merchant whose credentials nobody has: they refuse every request that is no merchant's,
   *   with the same answers and faults as those of a merchant
   */
  constructor(
    private readonly merchants: Merchants,
    private readonly servicesOf: (merchant: SimulatedMerchant) => MerchantServices,
    private readonly nobody: MerchantServices,
    private readonly strict: boolean,
  ) {}

  /** The endpoints, which are the same for all merchants. */
  routes(): PlatformRoute[] {
    return Array.from(this.nobody.routes, ([key, route]) => ({
      ...route,
      handle: (exchange: PlatformExchange) => {
        const merchant = this.merchantOf(route, exchange);
        exchange.merchant = merchant?.name ?? null;
        const { routes } = merchant ? this.servicesOf(merchant) : this.nobody;
        return routes.get(key)!.handle(exchange);
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
