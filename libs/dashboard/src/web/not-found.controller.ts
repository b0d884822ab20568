import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from './dashboard-routes.decorator.js';
import type { HttpRequest } from './http-request.dto.js';
import { notFound } from './page.errors.js';
import { PagesService } from './pages.service.js';

/** Answers every other address below the dashboard with 404. It must be the last of the controllers. */
export function notFoundController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardNotFoundController {
    constructor(@Inject(PagesService) private readonly pages: PagesService) {}

    /** One route for each depth, because Express and Fastify have different wildcards. */
    @Get([':one', ':one/:two', ':one/:two/:three', ':one/:two/:three/:four'])
    notFound(@Req() request: object, @Res() response: object): Promise<void> {
      const { params } = request as HttpRequest;
      const depth = Object.keys((params ?? {}) as object).length;
      return this.pages.show({ request, response, depth }, () => {
        throw notFound('page');
      });
    }
  }
  return PaymentsDashboardNotFoundController;
}
