import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { PayoutsPage } from './payouts.page.js';

export function payoutsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardPayoutsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(PayoutsPage) private readonly payouts: PayoutsPage,
    ) {}

    @Get('payouts/:id')
    payout(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) =>
        this.payouts.show(visit, id),
      );
    }

    @FormRoute('payouts/:id/phones')
    phones(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.payouts.reveal(visit, id),
      );
    }

    /** A browser that loads the address of the numbers gets the page without them. */
    @Get('payouts/:id/phones')
    shown(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.show({ request, response, depth: 3 }, (visit) =>
        this.payouts.show(visit, id),
      );
    }
  }
  return PaymentsDashboardPayoutsController;
}
