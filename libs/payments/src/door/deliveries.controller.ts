import {
  Controller,
  Inject,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
  type Type,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { DeliveryGuard, verifiedDelivery } from './delivery.guard.js';
import { Inbox } from '../inbox/inbox.service.js';
import { ProblemFilter } from './problem.filter.js';
import { RawRoute } from './delivery-route.js';
import type { RouteDecorator } from '../accounts/account.options.js';

/**
 * Makes the controller of the routes for the platform; `placeRoutes()` says where they are. Each account that is declared at the start has its own
 * class, because path, account and the host's decorators are metadata of a class.
 * @param account null: the path names it, as `:account`
 */
export function callbacksController(
  account: string | null,
  decorators: readonly RouteDecorator[],
): Type {
  @Controller()
  @UseGuards(DeliveryGuard)
  @UseFilters(ProblemFilter)
  class PaymentsCallbacksController {
    constructor(
      @Inject(Inbox) private readonly inbox: Inbox,
      @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    ) {}

    @Post(['webhooks', 'webhooks/:mac'])
    @RawRoute({ account, kind: 'webhook' })
    webhook(@Req() request: object, @Res() response: object): Promise<void> {
      return this.accept(request, response);
    }

    @Post(['callbacks/:resource/:id', 'callbacks/:resource/:id/:mac'])
    @RawRoute({ account, kind: 'callback' })
    callback(@Req() request: object, @Res() response: object): Promise<void> {
      return this.accept(request, response);
    }

    /**
     * Stores the delivery, then answers. It answers here instead of returning a value, which a global interceptor could change.
     */
    private async accept(request: object, response: object): Promise<void> {
      await this.inbox.accept(verifiedDelivery(request));
      this.host.httpAdapter.reply(response, '', 200);
    }
  }
  for (const decorate of decorators) applyEverywhere(decorate, PaymentsCallbacksController);
  return PaymentsCallbacksController;
}

/**
 * Gives the routes of a controller their path. A provider calls it: Nest reads the path when all providers are there, and only then the host's
 * ConfigModule has surely read its files.
 */
export function placeRoutes(controller: Type, path: string): void {
  Controller({ path, version: VERSION_NEUTRAL })(controller);
}

/** Decorates the class and its methods, because some guards read only the metadata of the method. */
function applyEverywhere(decorate: RouteDecorator, controller: Type): void {
  decorate(controller);
  const prototype = controller.prototype as object;
  for (const method of ['webhook', 'callback']) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method) as PropertyDescriptor;
    decorate(prototype, method, descriptor);
    Object.defineProperty(prototype, method, descriptor);
  }
}
