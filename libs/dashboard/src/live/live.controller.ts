import { Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { DashboardRoutes, type RoutesOptions } from '../web/dashboard-routes.decorator.js';
import { PagesService } from '../web/pages.service.js';
import { LiveService } from './live.service.js';
import { sendHead } from './live-stream.js';

/** A request of Express or Fastify. */
interface LiveRequest {
  method: string;
  /** The address of the viewer, or of a proxy. */
  ip?: string;
}

export function liveController(options: RoutesOptions): Type {
  @DashboardRoutes(options)
  class PaymentsDashboardLiveController {
    constructor(
      @Inject(PagesService) private readonly pages: PagesService,
      @Inject(LiveService) private readonly live: LiveService,
    ) {}

    /** Server-sent events: a message when something of the account has changed. */
    @Get('live')
    watch(@Req() request: LiveRequest, @Res() response: object): Promise<void> {
      return this.pages.show({ request, response, depth: 1 }, ({ account, operatorName }) => {
        const person = operatorName ?? `at ${request.ip}`;
        this.live.makeRoom(account, person);
        // A stream without a body would look like one that hangs, and would take the place of another viewer.
        if (request.method === 'HEAD') return { kind: 'stream', open: sendHead };
        return { kind: 'stream', open: (raw) => this.live.open(account, person, raw) };
      });
    }
  }
  return PaymentsDashboardLiveController;
}
