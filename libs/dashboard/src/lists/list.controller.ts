import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { hasPhone, readPhone } from '../html/phone.format.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { FormRoute } from '../web/form-route.decorator.js';
import { PagesService } from '../web/pages.service.js';
import type { Visit } from '../web/visit.dto.js';
import type { ListDefinition } from './list.definition.js';
import { listFile, searchList, showList } from './list.page.js';

/** Returns the routes of a list: its pages, its search and its file. The controller must stand before routes with a parameter in the same place. */
export function listController<F, T>(
  options: RoutesOptions,
  path: string,
  define: (visit: Visit) => ListDefinition<F, T>,
): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardListController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(AuditLogService) private readonly audit: AuditLogService,
    ) {}

    @Get(path)
    list(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        showList(visit, define(visit)),
      );
    }

    @FormRoute(`${path}/search`)
    search(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 2 }, (visit) => {
        this.noteSearch(visit);
        return searchList(visit, define(visit));
      });
    }

    /** A browser that opens the address of a search result gets the list. */
    @Get(`${path}/search`)
    searched(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 2 }, (visit) =>
        showList(visit, define(visit)),
      );
    }

    @Get(`${path}.csv`)
    file(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, (visit) =>
        listFile(visit, define(visit), visit.query, false),
      );
    }

    /** The file for a filter that names a person, which is posted. */
    @FormRoute(`${path}.csv`)
    privateFile(@Req() request: object, @Res() response: object): Promise<void> {
      return this.pages.submit({ request, response, depth: 1 }, async (visit) => {
        this.noteSearch(visit);
        return listFile(visit, define(visit), visit.form, true);
      });
    }

    private noteSearch(visit: Visit): void {
      for (const [name, value] of visit.form) {
        const typed = value.slice(0, 40);
        const phone = name === 'phone' ? readPhone(visit.account, typed) : null;
        if (phone !== null || hasPhone(typed)) this.audit.searched(visit, path, phone ?? typed);
      }
    }
  }
  return PaymentsDashboardListController;
}
