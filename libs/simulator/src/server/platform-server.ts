import type { ServerResponse } from 'node:http';
import type { ActivityTracker } from '../clock/activity.service.js';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { Faults } from '../faults/faults.service.js';
import { excerpt, maskBody, maskHeaders } from '../journal/journal-masking.service.js';
import type { Journal } from '../journal/journal.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { AnswerSender } from './answer-sender.service.js';
import { type HttpRequest, HttpServer, UnreadableRequest } from './http-server.js';
import { OAuthRefusal, Refusal, type PlatformAnswer } from './platform-answer.dto.js';
import { PlatformExchange, type PlatformRoute } from './platform-exchange.dto.js';

/** The platform on its HTTP server: answers requests, and writes the journal. */
export class PlatformServer {
  /** The control API and the pages add their routes here. */
  readonly http: HttpServer;

  constructor(
    private readonly settings: SimulatorSettings,
    private readonly faults: Faults,
    private readonly journal: Journal,
    private readonly activity: ActivityTracker,
    private readonly clock: SimulatedClock,
    private readonly answerSender: AnswerSender,
    private readonly baseUrl: () => string,
  ) {
    this.http = new HttpServer({
      tls: settings.tls,
      // Public clients join a base URL that ends in a slash with a path that begins with one.
      ignoreDuplicateSlashes: !settings.strict,
      onMissing: (request, response) =>
        this.serve(request, response, () => {
          const [path = ''] = request.url.split('?');
          throw new Refusal(404, `${request.method} ${path} is not an endpoint`);
        }),
      onError: (error, request, response) =>
        this.serve(request, response, () => {
          const message = error instanceof Error ? error.message : String(error);
          if (request.url.startsWith('/oauth/'))
            throw new OAuthRefusal(400, 'invalid_request', message);
          throw new Refusal(error instanceof UnreadableRequest ? error.status : 500, message);
        }),
    });
  }

  add(routes: readonly PlatformRoute[]): void {
    for (const route of routes)
      this.http.route(route.method, route.path, (request, response) =>
        this.serve(request, response, (exchange) => route.handle(exchange)),
      );
  }

  /** @returns the port. @throws CannotListenError */
  listen(): Promise<number> {
    return this.http.listen(this.settings.host, this.settings.port);
  }

  stop(): Promise<void> {
    return this.http.close();
  }

  private async serve(
    { method, url, headers, params, body }: HttpRequest,
    response: ServerResponse,
    handle: PlatformRoute['handle'],
  ): Promise<void> {
    const started = performance.now();
    let done = this.activity.begin();
    const wait = async (ms: number) => {
      done();
      await this.clock.wait(ms);
      done = this.activity.begin();
    };
    const exchange = new PlatformExchange(method, url, headers, params, body, this.faults, wait);
    const answer = await this.decide(exchange, handle);
    this.note(exchange, answer, started);
    done();
    await this.answerSender.send(answer, response);
  }

  private async decide(
    exchange: PlatformExchange,
    handle: PlatformRoute['handle'],
  ): Promise<PlatformAnswer> {
    try {
      return await handle(exchange);
    } catch (error) {
      if (error instanceof Refusal || error instanceof OAuthRefusal) return error.answer();
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.journal.note('simulator error', { detail: reason });
      return new Refusal(
        500,
        `The simulator failed unexpectedly: ${reason.split('\n')[0]}. Its journal has the stack.`,
      ).answer();
    }
  }

  private note(exchange: PlatformExchange, answer: PlatformAnswer, started: number): void {
    const durationMs = Math.round(performance.now() - started);
    const answered = answer.manner !== 'never' && answer.manner !== 'reset';
    // We cut the body now. A polling result may have megabytes, and the journal would keep them until somebody reads the entry.
    const answerBody = excerpt(answer.body);
    this.journal.request(() => ({
      method: exchange.method,
      url: this.baseUrl() + exchange.url,
      headers: maskHeaders(exchange.headers),
      body: maskBody(excerpt(exchange.body)),
      answer: answered
        ? {
            status: answer.status,
            headers: maskHeaders(answer.headers ?? {}),
            body: maskBody(answerBody),
          }
        : null,
      durationMs,
      faults: exchange.injectedFaults,
      merchant: exchange.merchant,
    }));
  }
}
