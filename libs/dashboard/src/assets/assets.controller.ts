import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesPlace } from '../web/dashboard-routes.decorator.js';
import { notFound } from '../web/dashboard.problem.js';
import { PageAnswerer } from '../web/page.answerer.js';
import { AssetsCatalogue } from './assets.catalogue.js';

/** Style and scripts of the pages, behind the same guards. */
export function assetsController(place: RoutesPlace): Type {
  @DashboardRoutes(place)
  class PaymentsDashboardAssetsController {
    constructor(
      @Inject(PageAnswerer) private readonly pages: PageAnswerer,
      @Inject(AssetsCatalogue) private readonly assets: AssetsCatalogue,
    ) {}

    @Get('assets/:name')
    file(
      @Req() request: object,
      @Res() response: object,
      @Param('name') name: string,
    ): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, () => {
        const file = this.assets.find(name);
        if (!file) throw notFound('file');
        return file;
      });
    }
  }
  return PaymentsDashboardAssetsController;
}
