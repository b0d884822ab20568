import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { html, PAGE_HEADERS } from '@tillkit/pages';
import { AccountUnavailableError, StoreUnavailableError } from '@tillkit/payments';
import { SafeLogger } from '@tillkit/payments/internal/routes';
import { FramePage } from '../html/frame.page.js';
import { DashboardAccounts } from '../start/dashboard-accounts.service.js';
import { LiveService } from '../live/live.service.js';
import { WORDS } from '../words/english.words.js';
import { page, type Answer, type File, type Page } from './answer.dto.js';
import { readForm } from './form.dto.js';
import type { HttpRequest } from './http-request.dto.js';
import { OpenFiles } from './open-files.service.js';
import { OperatorService } from './operator.service.js';
import { PageError, type ProblemText } from './page.errors.js';
import { assertSameOrigin } from './same-origin.guard.js';
import { TimeZones } from './time-zones.service.js';
import { AnyVisit, Visit, type Viewer } from './visit.dto.js';

/** `Retry-After` of a response while the store or an account is unavailable, in seconds. */
const RETRY_AFTER_S = 10;

/** A request and its response, as a handler receives them. */
export interface Exchange {
  request: object;
  response: object;
  /** Number of path segments of the route below the path of the account's pages. */
  depth: number;
}

/** Segments of the path before the pages of an account, in a dashboard of all accounts. */
const ACCOUNT_DEPTH = 2;

/**
 * Runs the handlers of pages and sends their answers, also for errors of handlers. It responds through the HTTP adapter,
 * so that the host's interceptors, response envelopes and views do not change the pages. The host answers errors of guards.
 */
@Injectable()
export class PagesService {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly accounts: DashboardAccounts,
    private readonly frame: FramePage,
    private readonly operators: OperatorService,
    private readonly zones: TimeZones,
    private readonly live: LiveService,
    private readonly files: OpenFiles,
  ) {}

  /** Answers a request for a page of an account that changes nothing. */
  async show(
    { request, response, depth }: Exchange,
    handle: (visit: Visit) => Promise<Answer> | Answer,
  ): Promise<void> {
    const { areSeveral } = this.accounts;
    const viewer = this.viewerOf(request, depth + (areSeveral ? ACCOUNT_DEPTH : 0));
    const enter = async (): Promise<Visit> => {
      const account = await this.accounts.chosenBy(request as HttpRequest);
      const visit = new Visit(request as HttpRequest, viewer, account, areSeveral);
      // We take the version before we read the page, so that a change meanwhile makes another version.
      visit.liveVersion = this.live.versionOf(account);
      return visit;
    };
    await this.answer(response, new AnyVisit(request as HttpRequest, viewer), enter, handle);
  }

  /** Answers a form of an account, or 403 for a form that a page of another origin sent. */
  async submit(
    exchange: Exchange,
    handle: (visit: Visit) => Promise<Answer> | Answer,
  ): Promise<void> {
    const request = exchange.request as HttpRequest;
    await this.show(exchange, (visit) => {
      assertSameOrigin(request);
      visit.form = readForm(request);
      visit.isSubmitted = true;
      return handle(visit);
    });
  }

  /** Answers a request that is not for one account. Its `depth` counts from the path of the dashboard. */
  async showWithoutAccount(
    { request, response, depth }: Exchange,
    handle: (visit: AnyVisit) => Promise<Answer> | Answer,
  ): Promise<void> {
    const visit = new AnyVisit(request as HttpRequest, this.viewerOf(request, depth));
    await this.answer(response, visit, () => visit, handle);
  }

  private viewerOf(request: object, depth: number): Viewer {
    const shown = this.zones.timesFor(request as HttpRequest);
    const { mayAct } = this.operators;
    return { depth, operator: this.operators.nameOf(request), mayAct, ...shown };
  }

  /** @param arrived the visit before its account is known */
  private async answer<V extends AnyVisit>(
    response: object,
    arrived: AnyVisit,
    enter: () => Promise<V> | V,
    handle: (visit: V) => Promise<Answer> | Answer,
  ): Promise<void> {
    let visit = arrived;
    let answer: Answer;
    try {
      const entered = await enter();
      visit = entered;
      answer = await handle(entered);
    } catch (error) {
      answer = this.errorPage(error);
    }
    if (this.host.httpAdapter.isHeadersSent(response)) return;
    this.write(response, visit, answer);
  }

  private write(response: object, visit: AnyVisit, answer: Answer): void {
    switch (answer.kind) {
      case 'page':
        return this.writePage(response, visit, answer);
      case 'redirect':
        return this.writeText(response, 303, 'text/plain', '', { Location: answer.to });
      case 'json':
        return this.writeText(response, 200, 'application/json', JSON.stringify(answer.value));
      case 'asset':
        return this.send(response, answer.response.status, answer.response);
      case 'file':
        return this.writeFile(response, answer);
      case 'stream':
        return answer.open(response);
    }
  }

  private writePage(response: object, visit: AnyVisit, answer: Page): void {
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

  /** A file that cannot be completed breaks off, so that the browser does not save half of it as the whole. */
  private writeFile(response: object, { name, type, chunks }: File): void {
    const stream = Readable.from(chunks);
    stream.once('error', (error) =>
      this.logger.seldom(
        'error',
        'file',
        `the file ${name} of the dashboard broke off`,
        {},
        error.stack,
      ),
    );
    const headers = {
      ...PAGE_HEADERS,
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    };
    for (const [header, value] of Object.entries(headers)) {
      this.host.httpAdapter.setHeader(response, header, value);
    }
    const body = new StreamableFile(stream).setErrorHandler((_, broken) => broken.destroy?.());
    this.host.httpAdapter.reply(response, body, 200);
    this.files.add(response);
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
    const { errors } = WORDS;
    if (error instanceof PageError) {
      return problemPage(error.status, error.text);
    }
    if (error instanceof AccountUnavailableError) {
      return problemPage(503, {
        title: `Account ${error.account} cannot be loaded now`,
        text: 'The application did not get its settings. Nothing is lost: the platform repeats its deliveries until they are back. The log of the application has the cause. Load this page again in a moment.',
      });
    }
    if (error instanceof StoreUnavailableError) {
      this.logger.seldom(
        'warn',
        'store',
        `the store is unavailable, so the dashboard answered a page with 503: ${error.message}`,
      );
      return problemPage(503, errors.storeUnavailable);
    }
    this.logger.seldom(
      'error',
      'page',
      'a page of the dashboard failed',
      {},
      error instanceof Error ? error.stack : undefined,
    );
    return problemPage(500, errors.failed);
  }
}

function problemPage(status: number, { title, text }: ProblemText): Page {
  const body = html`<section class="problem">
    <h1>${title}</h1>
    <p>${text}</p>
  </section>`;
  return page(null, title, body, { status });
}
