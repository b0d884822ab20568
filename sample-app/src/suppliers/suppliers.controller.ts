import { randomUUID } from 'node:crypto';
import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpStatus,
  NotFoundException,
  Param,
  Post,
  Query,
  Req,
  Res,
  Sse,
  UseGuards,
  type MessageEvent,
} from '@nestjs/common';
import { PaymentsValidationError, PayoutNotApprovableError } from '@tillkit/payments';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { fieldText, isTicket } from '../orders/checkout.form.js';
import { LoopbackGuard } from '../practice/loopback.guard.js';
import { ShopSettings } from '../shop.settings.js';
import { LiveStreams } from '../web/live-streams.js';
import { polledSection } from '../web/polled-section.js';
import { approvalPage } from './approval.page.js';
import { payoutProblems, readPayoutForm } from './payout.form.js';
import { suppliersPage, suppliersSection } from './suppliers.page.js';
import { SuppliersService, type SupplierPayout } from './suppliers.service.js';

type Form = Readonly<Record<string, unknown>>;

const MAX_SHOWN = 10;

/**
 * The shopkeeper pays suppliers here. This is only for practice. In your shop a guard checks who is signed in, and that person asks or
 * approves. A name that anybody can type is not enough.
 */
@Controller('suppliers')
@UseGuards(LoopbackGuard)
export class SuppliersController {
  private readonly sections = polledSection(
    () => this.latest(),
    (latest) => suppliersSection(latest, this.settings),
  );

  constructor(
    private readonly suppliers: SuppliersService,
    private readonly settings: ShopSettings,
    private readonly streams: LiveStreams,
  ) {}

  /** `phone` is the initial value of the phone field. The links to practice phones use it. */
  @Get()
  async list(@Query('phone') phone: unknown): Promise<string> {
    const empty = { supplier: '', phone: fieldText(phone), amount: '', by: '' };
    return suppliersPage(
      { ...empty, ticket: randomUUID() },
      {},
      await this.latest(),
      this.settings,
    );
  }

  @Post()
  async pay(@Body() body: Form | undefined, @Res() response: Response): Promise<void> {
    const form = readPayoutForm(body);
    if (!form || !isTicket(form.ticket)) throw new BadRequestException();
    try {
      await this.suppliers.pay(form);
      response.redirect(HttpStatus.SEE_OTHER, '/suppliers');
    } catch (error) {
      const problems = payoutProblems(error);
      if (!problems) throw error;
      const page = suppliersPage(form, problems, await this.latest(), this.settings);
      response.status(HttpStatus.UNPROCESSABLE_ENTITY).send(page);
    }
  }

  @Sse('events')
  events(@Req() request: Request): Observable<MessageEvent> {
    return this.streams.limit(request, 'suppliers', this.sections);
  }

  @Get(':id')
  async confirm(@Param('id') id: string, @Res() response: Response): Promise<void> {
    const one = await this.payout(id);
    if (one.payout.awaitsApproval) response.send(approvalPage(one, this.settings));
    else response.redirect(HttpStatus.SEE_OTHER, '/suppliers');
  }

  @Post(':id')
  async decide(
    @Param('id') id: string,
    @Body() form: Form | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const by = fieldText(form?.['by']);
    const decision = fieldText(form?.['decision']);
    if (decision !== 'approve' && decision !== 'decline') throw new BadRequestException();
    let problem = 'Please give your name.';
    try {
      await this.suppliers.decide(await this.payout(id), decision === 'approve', by);
    } catch (error) {
      if (error instanceof PayoutNotApprovableError) {
        problem = `${by} asked for this payout, so another person must approve it.`;
      } else if (!(error instanceof PaymentsValidationError)) throw error;
      const current = await this.payout(id);
      // If somebody else was faster, the list shows the outcome of the payout.
      if (current.payout.awaitsApproval) {
        const page = approvalPage(current, this.settings, { by, problem });
        response.status(HttpStatus.UNPROCESSABLE_ENTITY).send(page);
        return;
      }
    }
    response.redirect(HttpStatus.SEE_OTHER, '/suppliers');
  }

  private async payout(id: string): Promise<SupplierPayout> {
    const one = await this.suppliers.find(id);
    if (!one) throw new NotFoundException();
    return one;
  }

  private latest(): Promise<SupplierPayout[]> {
    return this.suppliers.latest(MAX_SHOWN);
  }
}
