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
import { checkoutPage } from './checkout.page.js';
import { orderPage, orderSection } from './order.page.js';
import type { OrderView } from './order.js';
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
    const problems = await attempt({ ...checkName(name), ...checkPhone(phone) }, async () => {
      showOrder(response, await this.orders.place(ticket, goods, name, phone));
    });
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
    const problems = await attempt(checkPhone(phone), async () => {
      await this.orders.tryAgain(view, Number(fieldText(form?.['attempt'])), phone);
      showOrder(response, id);
    });
    if (problems) {
      const page = orderPage(view, this.settings, { phone, problem: problems.phone });
      response.status(HttpStatus.UNPROCESSABLE_ENTITY).send(page);
    }
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

  private async view(id: string): Promise<OrderView> {
    const view = await this.orders.find(id);
    if (!view) throw new NotFoundException();
    return view;
  }
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
