import { Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { OperationActionsService } from './operation-actions.service.js';
import { ReviewsService } from './reviews.service.js';

/** Actions on operations of every kind: ids are unique within an account. */
export function operationActionsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardOperationActionsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(OperationActionsService) private readonly actions: OperationActionsService,
      @Inject(ReviewsService) private readonly reviews: ReviewsService,
    ) {}

    @FormRoute('operations/:id/review')
    review(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.reviews.resolve(visit, id),
      );
    }

    @FormRoute('operations/:id/note')
    note(@Req() request: object, @Res() response: object, @Param('id') id: string): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.actions.note(visit, id),
      );
    }

    @FormRoute('operations/:id/status')
    status(
      @Req() request: object,
      @Res() response: object,
      @Param('id') id: string,
    ): Promise<void> {
      return this.pages.submit({ request, response, depth: 3 }, (visit) =>
        this.actions.readStatus(visit, id),
      );
    }
  }
  return PaymentsDashboardOperationActionsController;
}
