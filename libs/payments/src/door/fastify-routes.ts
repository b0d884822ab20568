import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { DeliveryHead } from './delivery-route.js';
import type { RawExchange } from './raw-exchange.js';
import { markOfConfig } from './raw-route.decorator.js';
import type { KnownRoute } from './route-registry.js';

/** The part of Fastify that we need to capture the bytes of our routes. */
export interface FastifyApp {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
  route(route: FastifyRoute): void;
  initialConfig: RouterOptions & { routerOptions?: RouterOptions };
}

/** Fastify 5 has them at two places. */
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
export function hookFastifyRoutes(
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
