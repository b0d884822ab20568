import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { accountOf } from './delivery-route.js';
import { DeliveryAdmission } from './delivery-admission.js';
import type { EarlyRefusal } from './refusal.js';
import { BodyReader } from './body.reader.js';
import { answerAndClose } from './early-answer.js';
import { ExpressRoutes, type ExpressApp } from './express-routes.js';
import { hookFastifyRoutes, type FastifyApp } from './fastify-routes.js';
import { formAnswerOf, formRefusalOf } from './form-admission.js';
import { keepRawBody, type RawBody } from './raw-body.js';
import { reachedOurRoute } from './near-misses.js';
import type { RawExchange } from './raw-exchange.js';
import { RouteRegistry, type KnownRoute } from './route-registry.js';
import { SafeLogger } from '../work/safe-logger.js';

/**
 * Captures the exact bytes of our routes before any parser of the host reads them, with or without `rawBody: true`, on Express and
 * on Fastify. What can be refused without its body is answered here, before the body is read.
 */
@Injectable()
export class RawBodyCapture {
  private readonly logger = new SafeLogger();
  private readonly reader = new BodyReader();

  constructor(
    host: HttpAdapterHost,
    private readonly registry: RouteRegistry,
    private readonly admission: DeliveryAdmission,
  ) {
    // `init$` replays: with NestFactory the adapter exists already, with a testing module it comes later, without HTTP never.
    host.init$.subscribe(() => this.install(host.httpAdapter));
  }

  private install(adapter: HttpAdapterHost['httpAdapter'] | null): void {
    const type = adapter?.getType();
    if (type === 'express') this.installOnExpress(adapter?.getInstance() as ExpressApp);
    else if (type === 'fastify') this.installOnFastify(adapter?.getInstance() as FastifyApp);
    else if (type)
      this.logger.error(`the payments routes do not work on "${type}": use Express or Fastify`);
  }

  private installOnExpress(app: ExpressApp): void {
    const routes = new ExpressRoutes(app);
    this.registry.readFrom(() => routes.all());
    app.use((request, response, next) => {
      const route = routes.matching(request);
      if (!route) return next();
      void this.captureOnExpress({ ...route, request, response, body: request }, next);
    });
  }

  private async captureOnExpress(
    exchange: RawExchange,
    next: (error?: unknown) => void,
  ): Promise<void> {
    let isCaptured: boolean;
    try {
      isCaptured = await this.capture(exchange);
    } catch (error) {
      next(error);
      return;
    }
    if (isCaptured) next();
  }

  private installOnFastify(app: FastifyApp): void {
    const routes: KnownRoute[] = [];
    this.registry.readFrom(() => routes);
    hookFastifyRoutes(app, (route) => {
      routes.push(route);
      return (exchange) => this.capture(exchange);
    });
  }

  /** False when the request goes no further: it was answered, or its client has gone. */
  private async capture(exchange: RawExchange): Promise<boolean> {
    const { request } = exchange;
    reachedOurRoute(request);
    const refusal = await this.refusalOf(exchange);
    if (refusal) return this.refuse(exchange, refusal);
    const limits = this.registry.limitsOf(exchange);
    const body =
      keptByHost(request, limits.maxBytes) ?? (await this.reader.read(exchange.body, limits));
    if (!body) return false;
    if ('refused' in body && body.refused !== 'consumed')
      return this.refuse(exchange, body.refused);
    keepRawBody(request, body as RawBody);
    return true;
  }

  private async refusalOf({ mark, request, params }: RawExchange): Promise<EarlyRefusal | null> {
    const { headers } = request;
    return mark.kind === 'form'
      ? formRefusalOf(headers, mark.maxBytes)
      : this.admission.judge(mark, { headers, params });
  }

  private refuse({ mark, request, response, params }: RawExchange, refusal: EarlyRefusal): false {
    const head = { headers: request.headers, params };
    const answer =
      mark.kind === 'form'
        ? formAnswerOf(refusal, mark.maxBytes)
        : this.admission.refuse(accountOf(mark, head), head, refusal);
    answerAndClose(request, response, answer);
    return false;
  }
}

/**
 * What is left of a body that the host parsed before us (its own `app.use(express.json())`): the bytes that it kept. Null when the
 * body is still to be read.
 */
function keptByHost(
  request: IncomingMessage & { rawBody?: unknown },
  maxBytes: number,
): RawBody | { refused: 'too_large' } | null {
  const { rawBody } = request;
  if (!Buffer.isBuffer(rawBody)) return request.readableEnded ? { refused: 'consumed' } : null;
  return rawBody.length > maxBytes ? { refused: 'too_large' } : { bytes: rawBody };
}
