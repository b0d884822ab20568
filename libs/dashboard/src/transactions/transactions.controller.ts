import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { redirect } from '../web/answer.dto.js';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { TransactionPage } from './transaction.page.js';

export function transactionsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardTransactionsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(TransactionPage) private readonly one: TransactionPage,
    ) {}

    /** Till and reference are query parameters: the platform may write any character into them, including a slash. */
    @Get('transaction')
    transaction(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.one.show(visit));
    }

    @Get('transaction/phone')
    shown(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) =>
        redirect(visit.link('transactions')),
      );
    }

    @FormRoute('transaction/phone')
    phone(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 2 }, (visit) => this.one.reveal(visit));
    }
  }
  return PaymentsDashboardTransactionsController;
}
