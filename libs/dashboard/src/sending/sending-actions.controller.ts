import { Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { SendingPage } from './sending.page.js';

export function sendingActionsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardSendingActionsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(SendingPage) private readonly sending: SendingPage,
    ) {}

    @FormRoute('sending')
    decide(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 1 }, (visit) =>
        this.sending.decide(visit),
      );
    }
  }
  return PaymentsDashboardSendingActionsController;
}
