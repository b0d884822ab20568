import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { StatementPage } from './statement.page.js';

export function statementController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardStatementController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(StatementPage) private readonly statement: StatementPage,
    ) {}

    @Get('statement')
    show(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        this.statement.show(visit),
      );
    }

    @FormRoute('statement')
    compare(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 1 }, (visit) =>
        this.statement.compare(visit),
      );
    }

    @Get('statement.csv')
    file(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        this.statement.file(visit),
      );
    }
  }
  return PaymentsDashboardStatementController;
}
