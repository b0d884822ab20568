import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NotKnownError, SimulatorError } from '../simulator.errors.js';
import { ControlInput } from './control.input.js';

/** One command or question of the control API. What `handle` gives is answered as JSON. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Under {@link CONTROL_PATH}. */
  readonly path: string;
  handle(input: ControlInput): unknown;
}

/** Where the control API lives. */
export const CONTROL_PATH = '/_simulator';

/** Serves the control API beside the platform. It takes no credentials: it is for the developer's own machine. */
export class ControlServer {
  constructor(private readonly app: FastifyInstance) {}

  add(routes: readonly ControlRoute[]): void {
    for (const route of routes) {
      this.app.route({
        method: route.method,
        url: CONTROL_PATH + route.path,
        handler: (request, reply) => this.serve(route, request, reply),
      });
    }
  }

  private async serve(
    route: ControlRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store');
    if (isCrossSite(request)) {
      await reply
        .code(403)
        .send(
          JSON.stringify({ error: 'cross_site', message: 'Only its own pages may call this.' }),
        );
      return;
    }
    try {
      const input = ControlInput.parse(
        request.params as Record<string, string>,
        request.query as Record<string, string | undefined>,
        Buffer.isBuffer(request.body) ? request.body : null,
      );
      await reply.send(JSON.stringify((await route.handle(input)) ?? {}));
    } catch (error) {
      const status = error instanceof NotKnownError ? 404 : 400;
      if (!(error instanceof SimulatorError || error instanceof RangeError)) throw error;
      const code = error instanceof SimulatorError ? error.code : 'SIMULATOR_INVALID_INPUT';
      await reply.code(status).send(JSON.stringify({ error: code, message: error.message }));
    }
  }
}

/** A page from elsewhere that the developer has open must not move his simulator. */
export function isCrossSite(request: FastifyRequest): boolean {
  const { origin, host } = request.headers;
  if (request.headers['sec-fetch-site'] === 'cross-site') return true;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
