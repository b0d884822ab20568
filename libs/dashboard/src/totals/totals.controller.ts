import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { TotalsPage } from './totals.page.js';

export function totalsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardTotalsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(TotalsPage) private readonly totals: TotalsPage,
    ) {}

    @Get('totals')
    show(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.totals.show(visit));
    }

    @Get('totals.csv')
    file(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.totals.file(visit));
    }
  }
  return PaymentsDashboardTotalsController;
}
