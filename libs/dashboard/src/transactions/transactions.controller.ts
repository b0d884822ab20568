import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { redirect } from '../web/answer.js';
import { DashboardRoutes, type RoutesPlace } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PageAnswerer } from '../web/page.answerer.js';
import { TransactionPage } from './transaction.page.js';
import { TransactionsPage } from './transactions.page.js';

export function transactionsController(place: RoutesPlace): Type {
  @DashboardRoutes(place)
  class PaymentsDashboardTransactionsController {
    constructor(
      @Inject(PageAnswerer) private readonly pages: PageAnswerer,
      @Inject(TransactionsPage) private readonly list: TransactionsPage,
      @Inject(TransactionPage) private readonly one: TransactionPage,
    ) {}

    @Get('transactions')
    transactions(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.list.list(visit));
    }

    /** Till and reference stand in the query: the platform may write anything into them, also a slash. */
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
      return this.pages.take({ request, response, depth: 2 }, (visit) => this.one.reveal(visit));
    }
  }
  return PaymentsDashboardTransactionsController;
}
