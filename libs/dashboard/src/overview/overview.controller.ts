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

    /** Pages link to each other from below: the path itself, with or without a slash, leads there. */
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
