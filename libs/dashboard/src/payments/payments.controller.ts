import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { redirect } from '../web/answer.js';
import { DashboardRoutes, type RoutesPlace } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PageAnswerer } from '../web/page.answerer.js';
import { FindPage } from './find.page.js';
import { PaymentPage } from './payment.page.js';
import { PaymentsPage } from './payments.page.js';
import { ReviewTaker } from './review.taker.js';

export function paymentsController(place: RoutesPlace): Type {
  @DashboardRoutes(place)
  class PaymentsDashboardPaymentsController {
    constructor(
      @Inject(PageAnswerer) private readonly pages: PageAnswerer,
      @Inject(PaymentsPage) private readonly list: PaymentsPage,
      @Inject(PaymentPage) private readonly one: PaymentPage,
      @Inject(FindPage) private readonly finder: FindPage,
      @Inject(ReviewTaker) private readonly reviews: ReviewTaker,
    ) {}

    @FormRoute('find')
    find(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.take({ request, response, depth: 1 }, (visit) => this.finder.find(visit));
    }

    /** Whoever loads what was found anew by its address is led to the list: what was typed stands in no address. */
    @Get('find')
    found(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        redirect(visit.link('payments')),
      );
    }

    @Get('payments')
    payments(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.list.list(visit));
    }

    @FormRoute('payments/search')
    search(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.take({ request, response, depth: 2 }, (visit) => this.list.search(visit));
    }

    /** Whoever loads the answer to a search anew by its address is led to the list. */
    @Get('payments/search')
    searched(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) => this.list.list(visit));
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
      return this.pages.take({ request, response, depth: 3 }, (visit) =>
        this.one.reveal(visit, id),
      );
    }

    @Get('payments/:id/phone')
    shown(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.show({ request, response, depth: 3 }, (visit) => this.one.show(visit, id));
    }

    @FormRoute('payments/:id/review')
    review(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.take({ request, response, depth: 3 }, (visit) =>
        this.reviews.take(visit, id),
      );
    }
  }
  return PaymentsDashboardPaymentsController;
}
