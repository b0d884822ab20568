import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesPlace } from './dashboard-routes.decorator.js';
import { notFound } from './dashboard.problem.js';
import { PageAnswerer } from './page.answerer.js';
import type { PlatformRequest } from './platform.request.js';

/** The addresses below the dashboard that are none. It must be the last of its controllers. */
export function lostController(place: RoutesPlace): Type {
  @DashboardRoutes(place)
  class PaymentsDashboardLostController {
    constructor(@Inject(PageAnswerer) private readonly pages: PageAnswerer) {}

    /** As deep as our addresses go: Express and Fastify know no common wildcard. */
    @Get([':one', ':one/:two', ':one/:two/:three', ':one/:two/:three/:four'])
    lost(@Req() request: object, @Res() response: object): Promise<void> {
      const { params } = request as PlatformRequest;
      const depth = Object.keys((params ?? {}) as object).length;
      return this.pages.show({ request, response, depth }, () => {
        throw notFound('page');
      });
    }
  }
  return PaymentsDashboardLostController;
}
