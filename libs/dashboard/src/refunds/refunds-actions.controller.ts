import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { RefundFormPage } from './refund-form.page.js';

export function refundsActionsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardRefundsActionsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(RefundFormPage) private readonly form: RefundFormPage,
    ) {}

    @Get('refunds/new')
    start(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) => this.form.start(visit));
    }

    @FormRoute('refunds/new')
    check(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 2 }, (visit) => this.form.check(visit));
    }

    @FormRoute('refunds')
    send(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 1 }, (visit) => this.form.send(visit));
    }
  }
  return PaymentsDashboardRefundsActionsController;
}
