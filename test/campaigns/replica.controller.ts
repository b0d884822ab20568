import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Get, HttpException, Inject, Post } from '@nestjs/common';
import {
  PaymentsError,
  PaymentsService,
  type Payment,
  type RequestPayment,
} from '@tillkit/payments';
import { hostPool } from './replica.context.js';

/** A payment to record in a transaction of the host, and how the transaction ends. */
export interface OpenRecording {
  request: RequestPayment;
  /** How long the transaction stays open after the recording. */
  holdMs: number;
  end: 'commit' | 'rollback';
}

type Answer = Pick<Payment, 'id' | 'state'>;

/** The routes of the merchant's application. */
@Controller()
export class ReplicaController {
  constructor(@Inject(PaymentsService) private readonly payments: PaymentsService) {}

  @Post('request')
  async request(@Body() request: RequestPayment): Promise<Answer> {
    return answered(() => this.payments.request(request));
  }

  @Post('record')
  async record(@Body() { request, holdMs, end }: OpenRecording): Promise<Answer> {
    return answered(async () => {
      const transaction = await hostPool.connect();
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
        transaction.release();
      }
    });
  }

  @Get('memory')
  memory(): { rssMb: number } {
    return { rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20) };
  }
}

/** Answers 503 to an error, so that the host can tell it from a broken connection: after an error nothing is sent. */
async function answered(ask: () => Promise<Payment>): Promise<Answer> {
  try {
    const { id, state } = await ask();
    return { id, state };
  } catch (error) {
    throw new HttpException(error instanceof PaymentsError ? error.code : String(error), 503);
  }
}
