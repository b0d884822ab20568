import { Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { ReplaysService } from './replays.service.js';

export function deadLettersActionsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardDeadLettersActionsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(ReplaysService) private readonly replays: ReplaysService,
    ) {}

    /** The id is a field of the form, not part of the path: it contains a listener's name, which may have any character. */
    @FormRoute('dead-letters/replay')
    replay(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 2 }, (visit) =>
        this.replays.replay(visit),
      );
    }
  }
  return PaymentsDashboardDeadLettersActionsController;
}
