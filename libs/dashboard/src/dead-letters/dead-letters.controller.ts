import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { DeadLettersPage } from './dead-letters.page.js';

export function deadLettersController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardDeadLettersController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(DeadLettersPage) private readonly letters: DeadLettersPage,
    ) {}

    @Get('dead-letters')
    list(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.letters.list(visit));
    }
  }
  return PaymentsDashboardDeadLettersController;
}
