import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { redirect } from '../web/answer.dto.js';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { FindPage } from './find.page.js';
import { PaymentPage } from './payment.page.js';

export function paymentsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardPaymentsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(PaymentPage) private readonly one: PaymentPage,
      @Inject(FindPage) private readonly finder: FindPage,
    ) {}

    @FormRoute('find')
    find(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 1 }, (visit) => this.finder.find(visit));
    }

    /** A browser that loads the address of a search result gets the list, because the address does not contain the search text. */
    @Get('find')
    found(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        redirect(visit.link('payments')),
      );
    }

    @Get('payments/:id')
    payment(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) => this.one.show(visit, id));
    }

    @FormRoute('payments/:id/phone')
    phone(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.one.reveal(visit, id),
      );
    }

    @Get('payments/:id/phone')
    shown(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.show({ request, response, depth: 3 }, (visit) => this.one.show(visit, id));
    }
  }
  return PaymentsDashboardPaymentsController;
}
