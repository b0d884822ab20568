import { Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import type { Answer } from './answer.dto.js';
import { DashboardRoutes, type RoutesOptions } from './dashboard-routes.decorator.js';
import { FormRoute } from './form-route.decorator.js';
import { PagesService } from './pages.service.js';
import type { Visit } from './visit.dto.js';

/** Answers a visit of a page. `id` comes from the path, if the path has one. */
type Handler = (visit: Visit, id: string) => Promise<Answer> | Answer;

/** One address of the pages of an account. */
export interface PageRoute {
  /** The provider that answers. */
  page: Type;
  controller: (options: RoutesOptions) => Type;
}

/** A route for a page, which changes nothing. */
export const show = routesOf('show', Get);

/** A route for a form that a page of the dashboard sent. */
export const submit = routesOf('submit', FormRoute);

function routesOf(kind: 'show' | 'submit', Route: (path: string) => MethodDecorator) {
  return <Name extends string, Page extends Record<Name, Handler>>(
    path: string,
    page: Type<Page>,
    handler: Name,
  ): PageRoute => {
    const depth = path.split('/').filter((segment) => segment !== '').length;
    const controller = (options: RoutesOptions): Type => {
      @DashboardRoutes(options)
      class PaymentsDashboardPageController {
        constructor(
          @Inject(PagesService) private readonly pages: PagesService,
          @Inject(page) private readonly page: Page,
        ) {}

        @Route(path)
        answer(
          @Req() request: object,
          @Res() response: object,
          @Param('id') id: string,
        ): Promise<void> {
          return this.pages[kind]({ request, response, depth }, (visit) =>
            this.page[handler](visit, id),
          );
        }
      }
      return PaymentsDashboardPageController;
    };
    return { page, controller };
  };
}
