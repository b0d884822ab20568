import {
  Catch,
  HttpException,
  Logger,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Response } from 'express';
import { ShopSettings } from '../shop.settings.js';
import { html } from '@tillkit/pages';
import { page } from './page-layout.js';

const TEXTS: Readonly<Record<number, { title: string; text: string }>> = {
  400: {
    title: 'The form did not arrive complete',
    text: 'Please go back, and send the form again.',
  },
  403: { title: 'This page is not for you', text: 'Only the person at this machine may open it.' },
  429: {
    title: 'Too many pages are open',
    text: 'Please close some pages of this shop, and load this one again.',
  },
  404: { title: 'There is nothing here', text: 'The address is wrong, or there is no such order.' },
};

const OUR_FAULT = {
  title: 'Something broke on our side',
  text: 'If you have just paid, do not pay again: your order is safe, and this page will work again soon.',
};

/** Shows an error as a page. The cause is only in the log. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Shop');

  constructor(private readonly settings: ShopSettings) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const status = statusOf(error);
    if (status >= 500) this.logger.error(error instanceof Error ? error.stack : String(error));
    // An event stream failed after its headers were sent: a page is not possible any more.
    if (response.headersSent) return;
    const { title, text } = TEXTS[status] ?? (status < 500 ? TEXTS[400]! : OUR_FAULT);
    const body = html`<h1>${title}</h1>
      <p class="lead">${text}</p>
      <p><a class="button" href="/">To the shop</a></p>`;
    response.status(status).send(page({ title, body }, this.settings));
  }
}

/** The body parsers of Express throw their own errors, which have a status. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : 500;
}
