import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ExpressRoutes, type ExpressApp, type ExpressRequest } from './express.routes.js';
import { captureRawBody, type RawRequest } from './raw-body.js';
import { markOfConfig } from './raw-route.decorator.js';
import { RouteRegistry, type KnownRoute } from './route.registry.js';

/** The part of Fastify that we need to capture the bytes of our routes. */
interface FastifyApp {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
}

interface FastifyRoute {
  url: string;
  config?: unknown;
  preParsing?: (request: FastifyRequest, reply: unknown, payload: Readable) => Promise<void>;
  preValidation?: (request: FastifyRequest, reply: unknown, done: () => void) => void;
}

interface FastifyRequest {
  raw: RawRequest & { [HIDDEN]?: Record<string, string> };
}

const HIDDEN = Symbol('tillkit:hidden-headers');

/** Without these headers Fastify runs no parser, applies no limit and refuses no media type. */
const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding'] as const;

/**
 * Captures the exact bytes of our routes before any parser of the host reads them, with or without `rawBody: true`, on Express and
 * on Fastify.
 */
@Injectable()
export class RawBodyCapture {
  private readonly logger = new Logger('Tillkit');

  constructor(
    host: HttpAdapterHost,
    private readonly registry: RouteRegistry,
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
    app.use((request, _response, next) => {
      const route = routes.matching(request);
      if (route) void this.captureOnExpress(request, route, next);
      else next();
    });
  }

  private async captureOnExpress(
    request: ExpressRequest,
    { mark }: KnownRoute,
    next: (error?: unknown) => void,
  ): Promise<void> {
    try {
      await captureRawBody(request, request, this.registry.limitOf(mark));
    } catch (error) {
      next(error);
      return;
    }
    next();
  }

  private installOnFastify(app: FastifyApp): void {
    const routes: KnownRoute[] = [];
    this.registry.readFrom(() => routes);
    app.addHook('onRoute', (route) => {
      const mark = markOfConfig(route.config);
      if (!mark) return;
      routes.push({ mark, path: route.url });
      route.preParsing = async ({ raw }, _reply, payload) => {
        await captureRawBody(raw, payload, this.registry.limitOf(mark));
        hideBodyHeaders(raw);
      };
      // Restores the headers for guards and interceptors of the host.
      route.preValidation = ({ raw }, _reply, done) => {
        Object.assign(raw.headers, raw[HIDDEN]);
        done();
      };
    });
  }
}

function hideBodyHeaders(raw: FastifyRequest['raw']): void {
  const hidden: Record<string, string> = {};
  for (const name of BODY_HEADERS) {
    const value = raw.headers[name];
    if (value === undefined) continue;
    hidden[name] = value;
    // Fastify checks for undefined. Deleting a property would make the object slow in V8.
    (raw.headers as Record<string, unknown>)[name] = undefined;
  }
  raw[HIDDEN] = hidden;
}
