import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesPlace } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PageAnswerer } from '../web/page.answerer.js';
import { ReconciliationPage } from './reconciliation.page.js';

export function reconciliationController(place: RoutesPlace): Type {
  @DashboardRoutes(place)
  class PaymentsDashboardReconciliationController {
    constructor(
      @Inject(PageAnswerer) private readonly pages: PageAnswerer,
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
      return this.pages.take({ request, response, depth: 1 }, (visit) =>
        this.reconciliation.compare(visit),
      );
    }
  }
  return PaymentsDashboardReconciliationController;
}
