import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { LinkCancellationPage } from './link-cancellation.page.js';
import { LinkFormPage } from './link-form.page.js';

export function paymentLinksActionsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardPaymentLinksActionsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(LinkFormPage) private readonly form: LinkFormPage,
      @Inject(LinkCancellationPage) private readonly cancellation: LinkCancellationPage,
    ) {}

    @Get('payment-links/new')
    start(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) => this.form.start(visit));
    }

    @FormRoute('payment-links/new')
    check(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 2 }, (visit) => this.form.check(visit));
    }

    @FormRoute('payment-links')
    send(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 1 }, (visit) => this.form.send(visit));
    }

    @Get('payment-links/:id/cancel')
    shown(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.show({ request, response, depth: 3 }, (visit) =>
        this.cancellation.show(visit, id),
      );
    }

    @FormRoute('payment-links/:id/cancel')
    cancel(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.cancellation.cancel(visit, id),
      );
    }
  }
  return PaymentsDashboardPaymentLinksActionsController;
}
