import { Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { DeliveryPage } from './delivery.page.js';

export function deliveriesActionsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardDeliveriesActionsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(DeliveryPage) private readonly one: DeliveryPage,
    ) {}

    @FormRoute('deliveries/:id/replay')
    replay(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.one.replay(visit, id),
      );
    }
  }
  return PaymentsDashboardDeliveriesActionsController;
}
