import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { PayoutApprovalPage } from './payout-approval.page.js';
import { PayoutFormPage } from './payout-form.page.js';

export function payoutsActionsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardPayoutsActionsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(PayoutFormPage) private readonly form: PayoutFormPage,
      @Inject(PayoutApprovalPage) private readonly approval: PayoutApprovalPage,
    ) {}

    @Get('payouts/new')
    start(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) => this.form.start(visit));
    }

    @FormRoute('payouts/new')
    check(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 2 }, (visit) => this.form.check(visit));
    }

    @FormRoute('payouts')
    send(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 1 }, (visit) => this.form.send(visit));
    }

    @Get('payouts/:id/approve')
    shown(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.show({ request, response, depth: 3 }, (visit) =>
        this.approval.show(visit, id),
      );
    }

    @FormRoute('payouts/:id/approve')
    approve(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.approval.approve(visit, id),
      );
    }

    @FormRoute('payouts/:id/decline')
    decline(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.approval.decline(visit, id),
      );
    }
  }
  return PaymentsDashboardPayoutsActionsController;
}
