import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { PaymentLinksPage } from './payment-links.page.js';

export function paymentLinksController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardPaymentLinksController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(PaymentLinksPage) private readonly links: PaymentLinksPage,
    ) {}

    @Get('payment-links/:id')
    link(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) =>
        this.links.show(visit, id),
      );
    }
  }
  return PaymentsDashboardPaymentLinksController;
}
