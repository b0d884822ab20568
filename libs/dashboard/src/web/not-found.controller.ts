import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from './dashboard-routes.decorator.js';
import type { HttpRequest } from './http-request.dto.js';
import { notFound } from './page.errors.js';
import { PagesService } from './pages.service.js';

/**
 * Answers every other address below a path with 404. It must be the last of the controllers.
 * @param show answers addresses below an account, or those that name none
 */
export function notFoundController(
  options: RoutesOptions,
  show: 'show' | 'showWithoutAccount' = 'show',
): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardNotFoundController {
    constructor(@Inject(PagesService) private readonly pages: PagesService) {}

    /** One route for each depth, because Express and Fastify have different wildcards. */
    @Get([':one', ':one/:two', ':one/:two/:three', ':one/:two/:three/:four'])
    notFound(@Req() request: object, @Res() response: object): Promise<void> {
      const { account: _, ...below } = (request as HttpRequest).params as Record<string, unknown>;
      const depth = Object.keys(below).length;
      return this.pages[show]({ request, response, depth }, () => {
        throw notFound('page');
      });
    }
  }
  return PaymentsDashboardNotFoundController;
}
