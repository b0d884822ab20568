import {
  Catch,
  HttpException,
  Logger,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { html } from './html.template.js';
import { PageLayout, pageTitle } from './page.layout.js';

const WORDS: Readonly<Record<number, { title: string; text: string }>> = {
  400: { title: 'That did not arrive whole', text: 'Please go back, and send the form again.' },
  403: { title: 'This is not for you', text: 'It is open only to whoever sits at this machine.' },
  404: { title: 'There is nothing here', text: 'The address is wrong, or the order is not known.' },
};

const OWN_FAULT = {
  title: 'Something broke on our side',
  text: 'If you have just paid, do not pay again: your order is safe, and this page will work again soon.',
};

/** What went wrong, as a page. What broke is told to the log, not to the customer. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Shop');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly layout: PageLayout,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response: unknown = host.switchToHttp().getResponse();
    const status = statusOf(error);
    if (status >= 500) this.logger.error(error instanceof Error ? error.stack : String(error));
    // A stream of events that broke: its headers are out, and there is no page to show.
    if (httpAdapter.isHeadersSent(response)) return;
    const { title, text } = WORDS[status] ?? (status < 500 ? WORDS[400]! : OWN_FAULT);
    const page = this.layout.render({
      title: pageTitle(title),
      body: html`<section class="narrow problem">
        <h1>${title}</h1>
        <p>${text}</p>
        <p><a class="button button--quiet" href="/">To the shop</a></p>
      </section>`,
    });
    httpAdapter.setHeader(response, 'Content-Type', 'text/html; charset=utf-8');
    httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
    httpAdapter.reply(response, page, status);
  }
}

/** Parsers of bodies throw errors of their own, with a status. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : 500;
}
