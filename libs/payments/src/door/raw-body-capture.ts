import parseurl from 'parseurl';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SafeLogger } from '../runtime/logging.js';
import {
  answerAndClose,
  DeliveryAdmission,
  formAnswerOf,
  formRefusalOf,
} from './delivery-admission.js';
import { accountOf, type DeliveryHead, markOfConfig, markOfHandler } from './delivery-route.js';
import { BodyReader, keepRawBody, type RawBody, type RawExchange } from './raw-body.js';
import { type EarlyRefusal, reachedOurRoute } from './refusals.js';
import { type KnownRoute, RouteRegistry } from './signed-callback-urls.js';

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
 * Returns the bytes of a body that the host parsed before us (with its own `app.use(express.json())`): with the refusal `consumed` when the host kept
 * none, and `too_large` when it kept more than our limit. Null when the body is still to be read.
 */
function keptByHost(
  request: IncomingMessage & { rawBody?: unknown },
  maxBytes: number,
): RawBody | { refused: 'too_large' } | null {
  const { rawBody } = request;
  if (!Buffer.isBuffer(rawBody)) return request.readableEnded ? { refused: 'consumed' } : null;
  return rawBody.length > maxBytes ? { refused: 'too_large' } : { bytes: rawBody };
}

/** The part of an Express 4 or 5 application that we need to find our routes. */
interface ExpressApp {
  use(
    middleware: (
      request: IncomingMessage,
      response: ServerResponse,
      next: (error?: unknown) => void,
    ) => void,
  ): void;
  router?: { stack: ExpressLayer[] };
  _router?: { stack: ExpressLayer[] };
}

interface ExpressLayer {
  /** Newer routers return the parameters; older ones return true and set `params`. */
  match(path: string): boolean | { params: DeliveryHead['params'] };
  params?: DeliveryHead['params'];
  route?: { path: string; stack: { handle: unknown }[] };
}

type OurLayer = KnownRoute & { layer: ExpressLayer };

/** Finds our routes in an Express application, also routes that are registered later. */
class ExpressRoutes {
  private seen = -1;
  private layers: OurLayer[] = [];

  constructor(private readonly app: ExpressApp) {}

  all(): readonly OurLayer[] {
    const stack = (this.app.router ?? this.app._router)?.stack ?? [];
    if (stack.length !== this.seen) {
      this.seen = stack.length;
      this.layers = stack.flatMap((layer) => {
        const mark = layer.route?.stack.map(({ handle }) => markOfHandler(handle)).find(Boolean);
        return mark && layer.route ? [{ mark, path: layer.route.path, layer }] : [];
      });
    }
    return this.layers;
  }

  /** Returns our route of a request, with the parameters in its path. */
  matching(request: IncomingMessage): Pick<RawExchange, 'mark' | 'params'> | null {
    if (request.method !== 'POST') return null;
    // Express also routes absolute URLs, and reads a backslash as a slash when there is a fragment, so we parse the URL as it does.
    const path = parseurl(request)?.pathname ?? '';
    for (const { mark, layer } of this.all()) {
      const match = layer.match(path);
      if (match) return { mark, params: match === true ? layer.params : match.params };
    }
    return null;
  }
}

/** The part of Fastify that we need to capture the bytes of our routes. */
interface FastifyApp {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
  route(route: FastifyRoute): void;
  initialConfig: RouterOptions & { routerOptions?: RouterOptions };
}

/** Fastify 5 has these options at two places. */
interface RouterOptions {
  ignoreTrailingSlash?: boolean;
}

interface FastifyRoute {
  method: unknown;
  url: string;
  handler: unknown;
  config?: unknown;
  constraints?: unknown;
  preParsing?: (request: FastifyRequest, reply: FastifyReply, payload: Readable) => Promise<void>;
  preValidation?: (request: FastifyRequest, reply: unknown, done: () => void) => void;
}

interface FastifyRequest {
  params?: DeliveryHead['params'];
  raw: IncomingMessage & { [HIDDEN]?: IncomingHttpHeaders };
}

interface FastifyReply {
  raw: ServerResponse;
  hijack(): void;
}

const HIDDEN = Symbol('tillkit:hidden-headers');

/** Without these headers Fastify runs no parser, applies no limit and refuses no media type. */
const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding'] as const;

/**
 * Hooks our routes in a Fastify application, also routes that are registered later.
 * @param onRoute is called with each route of ours; it returns what captures the requests on it, and resolves with false when a
 *   request goes no further
 */
function hookFastifyRoutes(
  app: FastifyApp,
  onRoute: (route: KnownRoute) => (exchange: RawExchange) => Promise<boolean>,
): void {
  app.addHook('onRoute', (route) => {
    const mark = markOfConfig(route.config);
    if (!mark) return;
    const capture = onRoute({ mark, path: route.url });
    route.preParsing = async ({ raw, params }, reply, body) => {
      const isCaptured = await capture({ mark, params, request: raw, response: reply.raw, body });
      if (isCaptured) hideBodyHeaders(raw);
      else reply.hijack();
    };
    // Restores the headers for guards and interceptors of the host.
    route.preValidation = ({ raw }, _reply, done) => {
      Object.assign(raw.headers, raw[HIDDEN]);
      done();
    };
    addWithSlash(app, route);
  });
}

/** A slash at the end of the URL changes nothing, as on Express. */
function addWithSlash(app: FastifyApp, route: FastifyRoute): void {
  const { ignoreTrailingSlash, routerOptions } = app.initialConfig;
  if (route.url.endsWith('/') || ignoreTrailingSlash || routerOptions?.ignoreTrailingSlash) return;
  const { method, url, handler, config, constraints } = route;
  app.route({ method, url: `${url}/`, handler, config, constraints });
}

function hideBodyHeaders(raw: FastifyRequest['raw']): void {
  const hidden: IncomingHttpHeaders = {};
  for (const name of BODY_HEADERS) {
    const value = raw.headers[name];
    if (value === undefined) continue;
    hidden[name] = value;
    // Fastify checks for undefined. Deleting a property would make the object slow in V8.
    raw.headers[name] = undefined;
  }
  raw[HIDDEN] = hidden;
}
