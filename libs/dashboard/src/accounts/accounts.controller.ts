import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { ACCOUNTS } from '../dashboard.constants.js';
import { redirect } from '../web/answer.dto.js';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { AccountsPage } from './accounts.page.js';

/** Returns the start page of a dashboard of all accounts. */
export function accountsController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardAccountsController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(AccountsPage) private readonly accounts: AccountsPage,
    ) {}

    @Get()
    start(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.showWithoutAccount({ request, response, depth: 0 }, (visit) =>
        redirect(visit.rootLink(ACCOUNTS)),
      );
    }

    @Get(ACCOUNTS)
    list(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.showWithoutAccount({ request, response, depth: 1 }, (visit) =>
        this.accounts.list(visit, request),
      );
    }
  }
  return PaymentsDashboardAccountsController;
}
