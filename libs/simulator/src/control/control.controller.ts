import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NotKnownError, SimulatorError } from '../simulator.errors.js';
import type { TrustedHosts } from '../server/trusted-hosts.service.js';
import { ControlInput } from './control.dto.js';

/** One route of the control API. The result of `handle` is sent as JSON. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Under {@link CONTROL_PATH}. */
  readonly path: string;
  handle(input: ControlInput): unknown;
}

/** Path of the control API. */
export const CONTROL_PATH = '/_simulator';

/** Serves the control API beside the platform. It needs no credentials, because it is for the developer's own machine. */
export class ControlController {
  constructor(
    private readonly app: FastifyInstance,
    private readonly hosts: TrustedHosts,
  ) {}

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
    const untrusted = this.hosts.refusal(request);
    if (untrusted !== null) {
      await reply.code(403).send(JSON.stringify({ error: 'untrusted_host', message: untrusted }));
      return;
    }
    if (isCrossSite(request)) {
      await reply.code(403).send(
        JSON.stringify({
          error: 'cross_site',
          message:
            'Pages of other origins may not call the control API. Use the pages of the simulator itself.',
        }),
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

/** Whether a page of another origin sent the request. Such a page must not control the developer's simulator. */
export function isCrossSite(request: FastifyRequest): boolean {
  const { origin, host } = request.headers;
  if (request.headers['sec-fetch-site'] === 'cross-site') return true;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
