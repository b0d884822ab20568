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
import { Inbox } from '../inbox/inbox.js';
import { DeliveryGuard, verifiedDelivery } from './delivery.guard.js';
import { ProblemFilter } from './problem.filter.js';
import { RawRoute } from './raw-route.decorator.js';

/** A decorator of the host that goes onto our controller and its methods, such as `@Public()` or `@SkipThrottle()`. */
export type RouteDecorator = ClassDecorator & MethodDecorator;

/**
 * The routes by which the platform reaches us. The class is made anew for each account, since path, account and the host's
 * decorators are properties of a class.
 */
export function callbacksController(
  account: string,
  path: string,
  decorators: readonly RouteDecorator[],
): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
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

    /** Stored first, answered second. Answered here, not by returning: a global interceptor would wrap it. */
    private async accept(request: object, response: object): Promise<void> {
      await this.inbox.accept(verifiedDelivery(request));
      this.host.httpAdapter.reply(response, '', 200);
    }
  }
  for (const decorate of decorators) applyEverywhere(decorate, PaymentsCallbacksController);
  return PaymentsCallbacksController;
}

/** Guards that read the metadata of the handler only must find it there as well. */
function applyEverywhere(decorate: RouteDecorator, controller: Type): void {
  decorate(controller);
  const prototype = controller.prototype as object;
  for (const method of ['webhook', 'callback']) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method) as PropertyDescriptor;
    decorate(prototype, method, descriptor);
    Object.defineProperty(prototype, method, descriptor);
  }
}
