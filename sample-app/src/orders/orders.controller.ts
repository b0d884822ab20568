import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpStatus,
  NotFoundException,
  Param,
  Post,
  Req,
  Res,
  Sse,
  type MessageEvent,
} from '@nestjs/common';
import { AlreadyPaidError, PaymentInFlightError } from '@tillkit/payments';
import type { Request, Response } from 'express';
import { map, takeWhile, type Observable } from 'rxjs';
import { findGoods } from '../goods/goods-catalogue.js';
import { ShopSettings } from '../shop.settings.js';
import { sectionEvent } from '../web/live-section.js';
import { LiveStreams } from '../web/live-streams.js';
import {
  checkName,
  checkPhone,
  customerProblems,
  fieldText,
  isTicket,
  type CheckoutProblems,
} from './checkout.form.js';
import { againPage, paidPage, passedIn, type Again } from './again.page.js';
import { checkoutPage } from './checkout.page.js';
import { orderPage, orderSection } from './order.page.js';
import { mayAskAgain, openAttempts, type OrderView } from './order.js';
import { OrdersService } from './orders.service.js';

type Form = Readonly<Record<string, unknown>>;

@Controller('orders')
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly settings: ShopSettings,
    private readonly streams: LiveStreams,
  ) {}

  @Post()
  async place(@Body() form: Form | undefined, @Res() response: Response): Promise<void> {
    const goods = findGoods(fieldText(form?.['goods']));
    const ticket = fieldText(form?.['ticket']);
    if (!goods || !isTicket(ticket)) throw new BadRequestException();
    const name = fieldText(form?.['name']);
    const phone = fieldText(form?.['phone']);
    const besides = passedIn(fieldText(form?.['besides']));
    const fields = { goods: goods.id, ticket, name, phone };
    const again = { action: '/orders', fields, back: `/goods/${goods.id}` };
    const problems = await attempt({ ...checkName(name), ...checkPhone(phone) }, () =>
      this.askingFirst(response, again, async () => {
        showOrder(response, await this.orders.place({ ticket, goods, name, phone }, besides));
      }),
    );
    if (problems) {
      const page = checkoutPage({ goods, ticket, name, phone, problems }, this.settings);
      response.status(HttpStatus.UNPROCESSABLE_ENTITY).send(page);
    }
  }

  @Post(':id/attempts')
  async tryAgain(
    @Param('id') id: string,
    @Body() form: Form | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const view = await this.view(id);
    const phone = fieldText(form?.['phone']);
    const number = Number(fieldText(form?.['attempt']));
    const besides = passedIn(fieldText(form?.['besides']));
    const problems = await attempt(checkPhone(phone), () =>
      this.askingFirst(response, againOf(view, phone), async () => {
        await this.orders.tryAgain(view, number, phone, besides);
        showOrder(response, id);
      }),
    );
    if (problems) {
      const page = orderPage(view, this.settings, { phone, problem: problems.phone });
      response.status(HttpStatus.UNPROCESSABLE_ENTITY).send(page);
    }
  }

  /** The customer sees no prompt. This page works only while the payment may still be paid. */
  @Get(':id/again')
  async again(@Param('id') id: string, @Res() response: Response): Promise<void> {
    const view = await this.view(id);
    if (!mayAskAgain(view)) return showOrder(response, id);
    const inTheWay = openAttempts(view).map(({ id: payment, metadata, createdAt: since }) => ({
      id: payment,
      metadata,
      since,
    }));
    response.send(againPage({ ...againOf(view, view.order.phone), inTheWay }, this.settings));
  }

  @Post(':id/links')
  async share(
    @Param('id') id: string,
    @Body() form: Form | undefined,
    @Res() response: Response,
  ): Promise<void> {
    await this.orders.share(await this.view(id), Number(fieldText(form?.['link'])));
    showOrder(response, id);
  }

  @Post(':id/links/cancel')
  async stopSharing(@Param('id') id: string, @Res() response: Response): Promise<void> {
    await this.orders.stopSharing(await this.view(id));
    showOrder(response, id);
  }

  @Get(':id')
  async get(@Param('id') id: string): Promise<string> {
    return orderPage(await this.view(id), this.settings);
  }

  /** Streams an order: each event is the new content of the page's live section. */
  @Sse(':id/events')
  async events(
    @Param('id') id: string,
    @Req() request: Request,
  ): Promise<Observable<MessageEvent>> {
    const view = await this.view(id);
    const sections = this.orders.follow(view).pipe(
      map((changed) => orderSection(changed, this.settings)),
      takeWhile(({ isFinal }) => !isFinal, true),
      map(sectionEvent),
    );
    return this.streams.limit(request, id, sections);
  }

  /** Asks the customer first when another payment may still be paid. An order that is paid already is not asked for again. */
  private async askingFirst(
    response: Response,
    again: Omit<Again, 'inTheWay'>,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof PaymentInFlightError) {
        const { inTheWay } = error;
        response.status(HttpStatus.CONFLICT);
        response.send(againPage({ ...again, inTheWay }, this.settings));
      } else if (error instanceof AlreadyPaidError) {
        response.status(HttpStatus.CONFLICT).send(paidPage(error.inTheWay, this.settings));
      } else throw error;
    }
  }

  private async view(id: string): Promise<OrderView> {
    const view = await this.orders.find(id);
    if (!view) throw new NotFoundException();
    return view;
  }
}

/** Returns the form that asks again for the payment of an order. */
function againOf({ order }: OrderView, phone: string): Omit<Again, 'inTheWay'> {
  const fields = { attempt: String(order.attempts + 1), phone };
  return { action: `/orders/${order.id}/attempts`, fields, back: `/orders/${order.id}` };
}

/** Runs `work` if the form has no problems. Resolves with the problems that the customer can correct. */
async function attempt(
  problems: CheckoutProblems,
  work: () => Promise<void>,
): Promise<CheckoutProblems | null> {
  if (problems.name ?? problems.phone) return problems;
  try {
    await work();
    return null;
  } catch (error) {
    const found = customerProblems(error);
    if (!found) throw error;
    return found;
  }
}

/** 303: the browser continues with a GET, so that a reload does not send the form again. */
function showOrder(response: Response, id: string): void {
  response.redirect(HttpStatus.SEE_OTHER, `/orders/${id}`);
}
