import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { ReconciliationPage } from './reconciliation.page.js';

export function reconciliationController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardReconciliationController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(ReconciliationPage) private readonly reconciliation: ReconciliationPage,
    ) {}

    @Get('reconciliation')
    form(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        this.reconciliation.form(visit),
      );
    }

    @FormRoute('reconciliation')
    compare(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 1 }, (visit) =>
        this.reconciliation.compare(visit),
      );
    }
  }
  return PaymentsDashboardReconciliationController;
}
