import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { html, PAGE_HEADERS } from '@tillkit/pages';
import { StoreUnavailableError } from '@tillkit/payments';
import { FramePage } from '../html/frame.page.js';
import { page, type Answer, type Page } from './answer.dto.js';
import { readForm } from './form.dto.js';
import type { HttpRequest } from './http-request.dto.js';
import { OperatorService } from './operator.service.js';
import { PageError } from './page.errors.js';
import { assertSameOrigin } from './same-origin.guard.js';
import { Visit } from './visit.dto.js';

/** `Retry-After` of a response while the store is unavailable, in seconds. */
const RETRY_AFTER_S = 10;

/** A request and its response, as a handler receives them. */
export interface Exchange {
  request: object;
  response: object;
  /** Number of path segments of the route below the path of the dashboard. */
  depth: number;
}

/**
 * Runs the handlers of pages and sends their answers, also for errors of handlers. It responds through the HTTP adapter,
 * so that the host's interceptors, response envelopes and views do not change the pages. The host answers errors of guards.
 */
@Injectable()
export class PagesService {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly frame: FramePage,
    private readonly operators: OperatorService,
  ) {}

  /** Answers a request that changes nothing. */
  async show(
    exchange: Exchange,
    handle: (visit: Visit) => Promise<Answer> | Answer,
  ): Promise<void> {
    const visit = this.visitOf(exchange);
    await this.answer(exchange, visit, () => handle(visit));
  }

  /** Answers a form, or 403 for a form that a page of another origin sent. */
  async submit(exchange: Exchange, handle: (visit: Visit) => Promise<Answer>): Promise<void> {
    const request = exchange.request as HttpRequest;
    const visit = this.visitOf(exchange);
    await this.answer(exchange, visit, async () => {
      assertSameOrigin(request);
      visit.form = readForm(request);
      return handle(visit);
    });
  }

  private visitOf({ request, depth }: Exchange): Visit {
    return new Visit(request as HttpRequest, depth, this.operators.nameOf(request));
  }

  private async answer(
    { response }: Exchange,
    visit: Visit,
    handle: () => Promise<Answer> | Answer,
  ): Promise<void> {
    let answer: Answer;
    try {
      answer = await handle();
    } catch (error) {
      answer = this.errorPage(error);
    }
    if (this.host.httpAdapter.isHeadersSent(response)) return;
    this.write(response, visit, answer);
  }

  private write(response: object, visit: Visit, answer: Answer): void {
    switch (answer.kind) {
      case 'page':
        return this.writePage(response, visit, answer);
      case 'redirect':
        return this.writeText(response, 303, 'text/plain', '', { Location: answer.to });
      case 'json':
        return this.writeText(response, 200, 'application/json', JSON.stringify(answer.value));
      case 'asset':
        return this.send(response, answer.response.status, answer.response);
    }
  }

  private writePage(response: object, visit: Visit, answer: Page): void {
    const status = answer.status ?? 200;
    const text = this.frame.render(visit, answer);
    this.writeText(response, status, 'text/html', text, {
      ...(status === 503 && { 'Retry-After': String(RETRY_AFTER_S) }),
    });
  }

  private writeText(
    response: object,
    status: number,
    type: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    this.send(response, status, {
      headers: {
        ...PAGE_HEADERS,
        'Content-Type': `${type}; charset=utf-8`,
        'Cache-Control': 'no-store',
        ...headers,
      },
      body,
    });
  }

  private send(
    response: object,
    status: number,
    { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  ): void {
    for (const [name, value] of Object.entries(headers)) {
      this.host.httpAdapter.setHeader(response, name, value);
    }
    // The body is always a string: adapters and versions of Nest serialise objects differently.
    this.host.httpAdapter.reply(response, body, status);
  }

  private errorPage(error: unknown): Page {
    if (error instanceof PageError) {
      return problemPage(error.status, error.title, error.text);
    }
    if (error instanceof StoreUnavailableError) {
      this.logger.warn(
        `the store is unavailable, so the dashboard answered a page with 503: ${error.message}`,
      );
      return problemPage(
        503,
        'The store of payments is unavailable',
        'Nothing is lost: the platform repeats its deliveries until the store is back. Load this page again in a moment.',
      );
    }
    this.logger.error(
      'a page of the dashboard failed',
      error instanceof Error ? error.stack : undefined,
    );
    return problemPage(500, 'This page failed', 'The log of the application has the error.');
  }
}

function problemPage(status: number, title: string, text: string): Page {
  const body = html`<section class="problem">
    <h1>${title}</h1>
    <p>${text}</p>
  </section>`;
  return page(null, title, body, { status });
}
