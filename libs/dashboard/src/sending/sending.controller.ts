import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { SendingPage } from './sending.page.js';

export function sendingController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardSendingController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(SendingPage) private readonly sending: SendingPage,
    ) {}

    @Get('sending')
    show(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.sending.show(visit));
    }
  }
  return PaymentsDashboardSendingController;
}
