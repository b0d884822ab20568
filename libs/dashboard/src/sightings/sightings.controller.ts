import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesPlace } from '../web/dashboard-routes.decorator.js';
import { PageAnswerer } from '../web/page.answerer.js';
import { SightingsPage } from './sightings.page.js';

export function sightingsController(place: RoutesPlace): Type {
  @DashboardRoutes(place)
  class PaymentsDashboardSightingsController {
    constructor(
      @Inject(PageAnswerer) private readonly pages: PageAnswerer,
      @Inject(SightingsPage) private readonly sightings: SightingsPage,
    ) {}

    @Get('sightings')
    list(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        this.sightings.list(visit),
      );
    }
  }
  return PaymentsDashboardSightingsController;
}
