import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { RefundsPage } from './refunds.page.js';

export function refundsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardRefundsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(RefundsPage) private readonly refunds: RefundsPage,
    ) {}

    @Get('refunds/:id')
    refund(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) =>
        this.refunds.show(visit, id),
      );
    }
  }
  return PaymentsDashboardRefundsController;
}
