import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpStatus,
  NotFoundException,
  Param,
  Post,
  Res,
  Sse,
  type MessageEvent,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PaymentInFlightError, PaymentsValidationError } from '@tillkit/payments';
import { map, type Observable } from 'rxjs';
import { findGoods } from '../goods/goods.catalogue.js';
import { ShopFeed } from '../shop.feed.js';
import { HtmlPage } from '../web/html-page.decorator.js';
import { liveSection } from '../web/live-section.stream.js';
import {
  checkPhone,
  checkValues,
  customerProblems,
  fieldText,
  type CheckoutProblems,
} from './checkout.form.js';
import { CheckoutPage } from './checkout.page.js';
import { OrderPage } from './order.page.js';
import { OrderViews, type OrderView } from './order-views.service.js';
import { OrdersService } from './orders.service.js';

type Form = Readonly<Record<string, unknown>>;

const TICKET = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const IN_FLIGHT: CheckoutProblems = {
  phone:
    'This phone is being asked for the same amount just now. Answer that request first, or use another phone.',
};

@Controller('orders')
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly views: OrderViews,
    private readonly checkout: CheckoutPage,
    private readonly page: OrderPage,
    private readonly feed: ShopFeed,
    private readonly host: HttpAdapterHost,
  ) {}

  @Post()
  async place(@Body() form: Form | undefined, @Res() response: unknown): Promise<void> {
    const goods = findGoods(fieldText(form?.['goods']));
    const ticket = fieldText(form?.['ticket']);
    if (!goods || !TICKET.test(ticket)) throw new BadRequestException();
    const values = { name: fieldText(form?.['name']), phone: fieldText(form?.['phone']) };
    const show = (problems: CheckoutProblems, status: number): void =>
      this.show(response, this.checkout.render({ goods, ticket, values, problems }), status);

    const problems = checkValues(values);
    if (Object.keys(problems).length > 0) {
      show(problems, HttpStatus.UNPROCESSABLE_ENTITY);
      return;
    }
    try {
      this.goTo(response, await this.orders.place(ticket, goods, values));
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      show(refusal.problems, refusal.status);
    }
  }

  @Post(':id/attempts')
  async tryAgain(
    @Param('id') id: string,
    @Body() form: Form | undefined,
    @Res() response: unknown,
  ): Promise<void> {
    const view = await this.view(id);
    const phone = fieldText(form?.['phone']);
    const show = (problems: CheckoutProblems, status: number): void =>
      this.show(
        response,
        this.page.render(view, { value: phone, problem: problems.phone }),
        status,
      );

    const problems = checkPhone(phone);
    if (problems.phone) {
      show(problems, HttpStatus.UNPROCESSABLE_ENTITY);
      return;
    }
    try {
      await this.orders.tryAgain(view.order, Number(fieldText(form?.['attempt'])), phone);
      this.goTo(response, id);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      show(refusal.problems, refusal.status);
    }
  }

  @Get(':id')
  @HtmlPage()
  async get(@Param('id') id: string): Promise<string> {
    return this.page.render(await this.view(id));
  }

  /** Follows an order: each event is the section of the page that changed. */
  @Sse(':id/events')
  async events(@Param('id') id: string): Promise<Observable<MessageEvent>> {
    await this.view(id);
    const sections$ = this.views.follow(id).pipe(map((view) => this.page.section(view)));
    return liveSection(sections$, this.feed.closing$);
  }

  private async view(id: string): Promise<OrderView> {
    const view = await this.views.find(id);
    if (!view) throw new NotFoundException();
    return view;
  }

  private show(response: unknown, page: string, status: number): void {
    const { httpAdapter } = this.host;
    httpAdapter.setHeader(response, 'Content-Type', 'text/html; charset=utf-8');
    httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
    httpAdapter.reply(response, page, status);
  }

  /** 303: what follows is a GET, so that loading the page again sends no form again. */
  private goTo(response: unknown, id: string): void {
    this.host.httpAdapter.redirect(response, HttpStatus.SEE_OTHER, `/orders/${id}`);
  }
}

/** What the customer can cure; null for everything else. */
function refusalOf(error: unknown): { problems: CheckoutProblems; status: number } | null {
  if (error instanceof PaymentInFlightError) {
    return { problems: IN_FLIGHT, status: HttpStatus.CONFLICT };
  }
  const problems = error instanceof PaymentsValidationError ? customerProblems(error) : null;
  return problems && { problems, status: HttpStatus.UNPROCESSABLE_ENTITY };
}
