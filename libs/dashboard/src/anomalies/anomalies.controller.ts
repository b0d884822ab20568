import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { AnomaliesPage } from './anomalies.page.js';

export function anomaliesController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardAnomaliesController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(AnomaliesPage) private readonly anomalies: AnomaliesPage,
    ) {}

    @Get('anomalies')
    list(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        this.anomalies.list(visit),
      );
    }
  }
  return PaymentsDashboardAnomaliesController;
}
