import {
  Catch,
  HttpException,
  Logger,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { StoreUnavailableError } from '../payments.errors.js';
import { DELIVERY_WORK } from '../runtime/backoff.js';
import { reachedGuard } from './delivery.guard.js';
import { DeliveryRefusedError } from './refusal.js';

const TITLES: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Answers every error on our routes as `application/problem+json`, with the status only: a reason would help an attacker. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Tillkit');

  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, context: ArgumentsHost): void {
    const adapter = this.host.httpAdapter;
    const http = context.switchToHttp();
    const response = http.getResponse<object>();
    if (adapter.isHeadersSent(response)) return;
    const status = this.statusOf(error, http.getRequest<object>());
    adapter.setHeader(response, 'Content-Type', 'application/problem+json');
    if (status === 503)
      adapter.setHeader(response, 'Retry-After', String(DELIVERY_WORK.retryAfterS));
    // A text, because Nest 11 on Express changes the content type of an object.
    adapter.reply(
      response,
      JSON.stringify({ type: 'about:blank', title: TITLES[status] ?? 'Error', status }),
      status,
    );
  }

  private statusOf(error: unknown, request: object): number {
    if (error instanceof StoreUnavailableError) {
      this.logger.error(`a delivery could not be stored and was answered 503: ${error.message}`);
      return 503;
    }
    if (!(error instanceof HttpException)) {
      this.logger.error(
        'a delivery failed and was answered 500',
        error instanceof Error ? error.stack : undefined,
      );
      return 500;
    }
    if (!(error instanceof DeliveryRefusedError) && !reachedGuard(request)) {
      this.logger.error(
        `a guard of this application answered ${error.getStatus()} to a delivery of the platform before it was verified. ` +
          "Let it pass: PaymentsModule.forRoot({ controllerDecorators: [Public()] }) with your own guard's decorator",
      );
    }
    return error.getStatus();
  }
}
