import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesPlace } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PageAnswerer } from '../web/page.answerer.js';
import { DeliveriesPage } from './deliveries.page.js';
import { DeliveryPage } from './delivery.page.js';

export function deliveriesController(place: RoutesPlace): Type {
  @DashboardRoutes(place)
  class PaymentsDashboardDeliveriesController {
    constructor(
      @Inject(PageAnswerer) private readonly pages: PageAnswerer,
      @Inject(DeliveriesPage) private readonly list: DeliveriesPage,
      @Inject(DeliveryPage) private readonly one: DeliveryPage,
    ) {}

    @Get('deliveries')
    deliveries(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.list.list(visit));
    }

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
      return this.pages.take({ request, response, depth: 3 }, (visit) =>
        this.one.reveal(visit, id),
      );
    }

    @Get('deliveries/:id/body')
    shown(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.show({ request, response, depth: 3 }, (visit) => this.one.show(visit, id));
    }

    @FormRoute('deliveries/:id/replay')
    replay(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.take({ request, response, depth: 3 }, (visit) =>
        this.one.replay(visit, id),
      );
    }
  }
  return PaymentsDashboardDeliveriesController;
}
