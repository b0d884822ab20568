import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { redirect } from '../web/answer.dto.js';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { OverviewPage } from './overview.page.js';

export function overviewController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardOverviewController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(OverviewPage) private readonly overview: OverviewPage,
    ) {}

    /** Redirects to the overview: links of pages are relative and would not work at the path itself. */
    @Get()
    start(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 0 }, (visit) =>
        redirect(visit.link('overview')),
      );
    }

    @Get('overview')
    show(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) => this.overview.show(visit));
    }

    @Get('statistics.json')
    statistics(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        this.overview.figures(visit),
      );
    }
  }
  return PaymentsDashboardOverviewController;
}
