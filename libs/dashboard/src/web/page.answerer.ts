import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { StoreUnavailableError } from '@tillkit/payments';
import { html } from '../html/html.template.js';
import { PageLayout } from '../html/page.layout.js';
import { page, type Answer, type File, type Page } from './answer.js';
import { DashboardProblem } from './dashboard.problem.js';
import { takenBody } from './form.capture.js';
import { readForm } from './form.reader.js';
import { OperatorNaming } from './operator.naming.js';
import { PAGE_HEADERS } from './page.headers.js';
import type { PlatformRequest } from './platform.request.js';
import { assertSameOrigin } from './same-origin.check.js';
import { Visit } from './visit.js';

/** How soon to try again when the store is away, in seconds. */
const RETRY_AFTER_S = 10;

/** One request of a browser, as a handler has it. */
export interface Exchange {
  request: object;
  response: object;
  /** Segments of the route below the path of the dashboard. */
  depth: number;
}

/**
 * Answers with the adapter itself, so that interceptors, envelopes and views of the host change nothing. What goes wrong
 * in a page is answered here too; what the host's guards throw before never comes here, and stays theirs.
 */
@Injectable()
export class PageAnswerer {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly layout: PageLayout,
    private readonly operators: OperatorNaming,
  ) {}

  /** Answers a request that changes nothing. */
  async show(exchange: Exchange, make: (visit: Visit) => Promise<Answer> | Answer): Promise<void> {
    const visit = this.visitOf(exchange);
    await this.answer(exchange, visit, () => make(visit));
  }

  /** Answers a form, if it is one of these pages that sent it. */
  async take(exchange: Exchange, make: (visit: Visit) => Promise<Answer>): Promise<void> {
    const request = exchange.request as PlatformRequest;
    const visit = this.visitOf(exchange);
    await this.answer(exchange, visit, async () => {
      assertSameOrigin(request);
      visit.form = await readForm(request, takenBody(request));
      return make(visit);
    });
  }

  private visitOf({ request, depth }: Exchange): Visit {
    return new Visit(request as PlatformRequest, depth, this.operators.nameOf(request));
  }

  private async answer(
    { request, response }: Exchange,
    visit: Visit,
    make: () => Promise<Answer> | Answer,
  ): Promise<void> {
    let answer: Answer;
    try {
      answer = await make();
    } catch (error) {
      answer = this.problemPage(error);
    }
    if (this.host.httpAdapter.isHeadersSent(response)) return;
    this.write(request as PlatformRequest, response, visit, answer);
  }

  private write(request: PlatformRequest, response: object, visit: Visit, answer: Answer): void {
    this.setHeaders(response, PAGE_HEADERS);
    switch (answer.kind) {
      case 'page':
        return this.writePage(response, visit, answer);
      case 'redirect':
        return this.writeText(response, 303, 'text/plain', '', { Location: answer.to });
      case 'json':
        return this.writeText(response, 200, 'application/json', JSON.stringify(answer.value));
      case 'file':
        return this.writeFile(request, response, answer);
    }
  }

  private writePage(response: object, visit: Visit, answer: Page): void {
    const status = answer.status ?? 200;
    const text = this.layout.render(visit, answer);
    this.writeText(response, status, 'text/html', text, {
      ...(status === 503 && { 'Retry-After': String(RETRY_AFTER_S) }),
    });
  }

  /** Files are kept by the browser and asked for again each time: after an upgrade they are new at once. */
  private writeFile({ headers }: PlatformRequest, response: object, file: File): void {
    const { etag, type, text } = file;
    const caching = { ETag: etag, 'Cache-Control': 'private, no-cache' };
    const known = headers['if-none-match']?.split(',').some((one) => one.trim() === etag);
    if (known) this.writeText(response, 304, type, '', caching);
    else this.writeText(response, 200, type, text, caching);
  }

  private writeText(
    response: object,
    status: number,
    type: string,
    text: string,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    this.setHeaders(response, {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'no-store',
      ...headers,
    });
    // As text: of an object each adapter and version of Nest makes something else.
    this.host.httpAdapter.reply(response, text, status);
  }

  private setHeaders(response: object, headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) {
      this.host.httpAdapter.setHeader(response, name, value);
    }
  }

  private problemPage(error: unknown): Page {
    if (error instanceof DashboardProblem) {
      return problem(error.status, error.title, error.text);
    }
    if (error instanceof StoreUnavailableError) {
      this.logger.warn(`a page of the dashboard could not be shown: ${error.message}`);
      return problem(
        503,
        'The store of payments is away',
        'Nothing is lost: deliveries wait with the platform until it is back. Load this page again in a moment.',
      );
    }
    this.logger.error(
      'a page of the dashboard failed',
      error instanceof Error ? error.stack : undefined,
    );
    return problem(500, 'Something broke in this page', 'The log of the application says what.');
  }
}

function problem(status: number, title: string, text: string): Page {
  const body = html`<section class="problem">
    <h1>${title}</h1>
    <p>${text}</p>
  </section>`;
  return page(null, title, body, { status });
}
