import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Get, HttpException, Inject, Post } from '@nestjs/common';
import {
  PaymentsError,
  PaymentLinksService,
  PaymentsService,
  PayoutsService,
  RefundsService,
  type RequestPayment,
  type RequestPaymentLink,
  type RequestPayout,
  type RequestRefund,
} from '@tillkit/payments';
import { hostPool } from './replica.context.js';

/** A payment to record in a transaction of the host, and how the transaction ends. */
export interface OpenRecording {
  request: RequestPayment;
  /** The time that the transaction stays open after the recording. */
  holdMs: number;
  end: 'commit' | 'rollback';
}

interface Answer {
  id: string;
  state: string;
  platformId: string | null;
}

/** The routes of the merchant's application. */
@Controller()
export class ReplicaController {
  constructor(
    @Inject(PaymentsService) private readonly payments: PaymentsService,
    @Inject(PayoutsService) private readonly payoutsService: PayoutsService,
    @Inject(RefundsService) private readonly refundsService: RefundsService,
    @Inject(PaymentLinksService) private readonly linksService: PaymentLinksService,
  ) {}

  @Post('request')
  async request(@Body() request: RequestPayment): Promise<Answer> {
    return answered(() => this.payments.request(request));
  }

  @Post('record')
  async record(@Body() { request, holdMs, end }: OpenRecording): Promise<Answer> {
    return answered(async () => {
      const transaction = await hostPool.connect();
      // PostgreSQL may be killed while the transaction is open and runs nothing.
      transaction.on('error', ignore);
      try {
        await transaction.query('begin');
        const payment = await this.payments.record(request, { transaction });
        await sleep(holdMs);
        await transaction.query(end);
        return payment;
      } catch (error) {
        await transaction.query('rollback');
        throw error;
      } finally {
        transaction.off('error', ignore);
        transaction.release();
      }
    });
  }

  @Post('payouts')
  async payouts(@Body() request: RequestPayout): Promise<Answer> {
    return answered(() => this.payoutsService.request(request));
  }

  @Post('refunds')
  async refunds(@Body() request: RequestRefund): Promise<Answer> {
    return answered(() => this.refundsService.request(request));
  }

  @Post('links')
  async links(@Body() request: RequestPaymentLink): Promise<Answer> {
    return answered(() => this.linksService.request(request));
  }

  @Post('cancel')
  async cancel(@Body() { id }: { id: string }): Promise<Answer> {
    return answered(() => this.linksService.cancel(id));
  }

  @Get('memory')
  memory(): { rssMb: number } {
    return { rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20) };
  }
}

/** Answers 503 to an error, so that the host can tell it from a broken connection: after an error nothing is sent. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    const { id, state, platformId } = await ask();
    return { id, state, platformId };
  } catch (error) {
    throw new HttpException(error instanceof PaymentsError ? error.code : String(error), 503);
  }
}

function ignore(): void {}
