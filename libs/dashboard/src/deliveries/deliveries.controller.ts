import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { DeliveryPage } from './delivery.page.js';

export function deliveriesController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardDeliveriesController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(DeliveryPage) private readonly one: DeliveryPage,
    ) {}

    @Get('deliveries/:id')
    delivery(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) => this.one.show(visit, id));
    }

    @FormRoute('deliveries/:id/body')
    body(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.one.reveal(visit, id),
      );
    }

    @Get('deliveries/:id/body')
    shown(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.show({ request, response, depth: 3 }, (visit) => this.one.show(visit, id));
    }
  }
  return PaymentsDashboardDeliveriesController;
}
