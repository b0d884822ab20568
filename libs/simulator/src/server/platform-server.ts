import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ActivityTracker } from '../clock/activity.service.js';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { Faults } from '../faults/faults.service.js';
import { excerpt, maskBody, maskHeaders } from '../journal/journal-masking.service.js';
import type { Journal } from '../journal/journal.service.js';
import { CannotListenError } from '../simulator.errors.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { AnswerSender } from './answer-sender.service.js';
import { OAuthRefusal, Refusal, type PlatformAnswer } from './platform-answer.dto.js';
import { PlatformExchange, type PlatformRoute } from './platform-exchange.dto.js';

/** The largest request that the platform reads. */
const BODY_LIMIT = 1024 * 1024;

/** The HTTP server: routes requests, sends answers, writes the journal. */
export class PlatformServer {
  /** The control API and the pages add their routes here. */
  readonly app: FastifyInstance;

  constructor(
    private readonly settings: SimulatorSettings,
    private readonly faults: Faults,
    private readonly journal: Journal,
    private readonly activity: ActivityTracker,
    private readonly clock: SimulatedClock,
    private readonly answerSender: AnswerSender,
    private readonly baseUrl: () => string,
  ) {
    const { tls } = settings;
    const refuse = (
      error: Error & { statusCode?: number },
      request: FastifyRequest,
      reply: FastifyReply,
    ) =>
      void this.serve(request, reply, () => {
        if (request.url.startsWith('/oauth/'))
          throw new OAuthRefusal(400, 'invalid_request', error.message);
        throw new Refusal(error.statusCode ?? 500, error.message);
      });
    this.app = fastify({
      // Fastify calls this before routing, for example for a URL that it cannot decode.
      frameworkErrors: refuse,
      bodyLimit: BODY_LIMIT,
      forceCloseConnections: true,
      exposeHeadRoutes: false,
      // Public clients join a base URL that ends in a slash with a path that begins with one.
      routerOptions: { ignoreDuplicateSlashes: !settings.strict },
      ...(tls ? { https: { key: tls.key, cert: tls.cert } } : {}),
    }) as FastifyInstance;
    // Read every body as bytes: the endpoints check the media type themselves.
    this.app.removeAllContentTypeParsers();
    this.app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    this.app.setNotFoundHandler((request, reply) =>
      this.serve(request, reply, () => {
        throw new Refusal(404, `${request.method} ${request.url.split('?')[0]} is not an endpoint`);
      }),
    );
    this.app.setErrorHandler(refuse);
  }

  add(routes: readonly PlatformRoute[]): void {
    for (const route of routes) {
      this.app.route({
        method: route.method,
        url: route.path,
        handler: (request, reply) =>
          this.serve(request, reply, (exchange) => route.handle(exchange)),
      });
    }
  }

  /** @returns the port. @throws CannotListenError */
  async listen(): Promise<number> {
    const { host, port } = this.settings;
    try {
      await this.app.listen({ host, port });
    } catch (error) {
      await this.app.close();
      throw new CannotListenError(host, port, error);
    }
    const address = this.app.server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  async stop(): Promise<void> {
    await this.app.close();
  }

  private async serve(
    request: FastifyRequest,
    reply: FastifyReply,
    handle: PlatformRoute['handle'],
  ): Promise<void> {
    reply.hijack();
    const started = performance.now();
    const body = Buffer.isBuffer(request.body) ? request.body : null;
    const params = (request.params ?? {}) as Record<string, string>;
    let done = this.activity.begin();
    const wait = async (ms: number) => {
      done();
      await this.clock.wait(ms);
      done = this.activity.begin();
    };
    const { method, url, headers } = request;
    const exchange = new PlatformExchange(method, url, headers, params, body, this.faults, wait);
    const answer = await this.decide(exchange, handle);
    this.note(exchange, answer, started);
    done();
    await this.answerSender.send(answer, reply.raw);
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
