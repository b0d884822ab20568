import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { StoreUnavailableError } from '../payments.errors.js';
import { reachedGuard } from './delivery.guard.js';
import { DeliveryRefusedError, problemOf } from './refusals.js';
import { SafeLogger } from '../runtime/logging.js';
import { RETRY_AFTER_S } from './delivery-admission.js';

/** Answers every error on our routes as a problem. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new SafeLogger();

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, context: ArgumentsHost): void {
    const adapter = this.host.httpAdapter;
    const http = context.switchToHttp();
    const response = http.getResponse<object>();
    if (adapter.isHeadersSent(response)) return;
    const status = this.statusOf(error, http.getRequest<object>());
    const { type, text } = problemOf(status);
    adapter.setHeader(response, 'Content-Type', type);
    if (status === 503) adapter.setHeader(response, 'Retry-After', String(RETRY_AFTER_S));
    adapter.reply(response, text, status);
  }

  private statusOf(error: unknown, request: object): number {
    if (error instanceof StoreUnavailableError) {
      this.logger.seldom(
        'error',
        'not stored',
        `a delivery could not be stored and was answered 503: ${error.message}`,
      );
      return 503;
    }
    if (!(error instanceof HttpException)) {
      this.logger.seldom(
        'error',
        'failed',
        'a delivery failed and was answered 500',
        {},
        error instanceof Error ? error.stack : undefined,
      );
      return 500;
    }
    if (!(error instanceof DeliveryRefusedError) && !reachedGuard(request)) {
      this.logger.seldom(
        'error',
        'guard',
        `a guard of this application answered ${error.getStatus()} to a delivery of the platform before it was verified. ` +
          "Let it pass: PaymentsModule.forRoot({ controllerDecorators: [Public()] }) with your own guard's decorator",
      );
    }
    return error.getStatus();
  }
}
