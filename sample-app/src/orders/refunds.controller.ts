import {
  Body,
  Controller,
  Get,
  HttpStatus,
  NotFoundException,
  Param,
  Post,
  Res,
  UseGuards,
} from '@nestjs/common';
import { NotRefundableError } from '@tillkit/payments';
import type { Response } from 'express';
import { LoopbackGuard } from '../practice/loopback.guard.js';
import { ShopSettings } from '../shop.settings.js';
import { fieldText } from './checkout.form.js';
import { isRefundable, type OrderView } from './order.js';
import { OrdersService } from './orders.service.js';
import { REFUND_PROBLEM, refundPage } from './refund.page.js';

/** The shopkeeper refunds an order. The guard is only for practice: yours checks who is signed in. */
@Controller('orders/:id')
@UseGuards(LoopbackGuard)
export class RefundsController {
  constructor(
    private readonly orders: OrdersService,
    private readonly settings: ShopSettings,
  ) {}

  @Get('refund')
  async confirm(@Param('id') id: string, @Res() response: Response): Promise<void> {
    const view = await this.view(id);
    if (isRefundable(view)) response.send(refundPage(view, this.settings));
    else response.redirect(HttpStatus.SEE_OTHER, `/orders/${id}`);
  }

  @Post('refunds')
  async refund(
    @Param('id') id: string,
    @Body() form: Readonly<Record<string, unknown>> | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const view = await this.view(id);
    try {
      await this.orders.refund(view, Number(fieldText(form?.['refund'])));
      response.redirect(HttpStatus.SEE_OTHER, `/orders/${id}`);
    } catch (error) {
      if (!(error instanceof NotRefundableError)) throw error;
      const page = refundPage(view, this.settings, REFUND_PROBLEM);
      response.status(HttpStatus.UNPROCESSABLE_ENTITY).send(page);
    }
  }

  private async view(id: string): Promise<OrderView> {
    const view = await this.orders.find(id);
    if (!view) throw new NotFoundException();
    return view;
  }
}
