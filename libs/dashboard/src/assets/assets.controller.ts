import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import type { HttpRequest } from '../web/http-request.dto.js';
import { notFound } from '../web/page.errors.js';
import { PagesService } from '../web/pages.service.js';
import { AssetsService } from './assets.service.js';

/** Serves style sheet, scripts and images of the pages. The guards of the pages protect them too. */
export function assetsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardAssetsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(AssetsService) private readonly assets: AssetsService,
    ) {}

    @Get('assets/:name')
    file(
      @Req() request: object,
      @Res() response: object,
      @Param('name') name: string,
    ): Promise<void> {
      return this.pages.showWithoutAccount({ request, response, depth: 2 }, () => {
        const { headers } = request as HttpRequest;
        const asset = this.assets.respond(name, headers['if-none-match']);
        if (!asset) throw notFound('file');
        return { kind: 'asset', response: asset };
      });
    }
  }
  return PaymentsDashboardAssetsController;
}
