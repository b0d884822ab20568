import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesPlace } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PageAnswerer } from '../web/page.answerer.js';
import { DeadLettersPage } from './dead-letters.page.js';

export function deadLettersController(place: RoutesPlace): Type {
  @DashboardRoutes(place)
  class PaymentsDashboardDeadLettersController {
    constructor(
      @Inject(PageAnswerer) private readonly pages: PageAnswerer,
      @Inject(DeadLettersPage) private readonly letters: DeadLettersPage,
    ) {}

    @Get('dead-letters')
    list(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.letters.list(visit));
    }

    /** The id stands in the form: it carries the name of a listener, which may be anything. */
    @FormRoute('dead-letters/replay')
    replay(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.take({ request, response, depth: 2 }, (visit) =>
        this.letters.replay(visit),
      );
    }
  }
  return PaymentsDashboardDeadLettersController;
}
