import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NotKnownError, SimulatorError } from '../simulator.errors.js';
import type { TrustedHosts } from '../server/trusted-hosts.service.js';
import { ControlInput } from './control.dto.js';

type ControlMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Answers a request of the control API. The result is sent as JSON. */
type ControlHandler = (input: ControlInput) => unknown;

/** Routes of the control API, by method and path under {@link CONTROL_PATH}. */
export type ControlRoutes = Readonly<Record<`${ControlMethod} /${string}`, ControlHandler>>;

/** Path of the control API. */
export const CONTROL_PATH = '/_simulator';

/** Serves the control API beside the platform. It needs no credentials, because it is for the developer's own machine. */
export class ControlController {
  constructor(
    private readonly app: FastifyInstance,
    private readonly hosts: TrustedHosts,
  ) {}

  add(routes: ControlRoutes): void {
    for (const [key, handle] of Object.entries(routes)) {
      const [method = '', path = ''] = key.split(' ');
      this.app.route({
        method,
        url: CONTROL_PATH + path.replace(/\/$/, ''),
        handler: (request, reply) => this.serve(handle, request, reply),
      });
    }
  }

  private async serve(
    handle: ControlHandler,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store');
    const refuse = (code: number, error: string, message: string) =>
      reply.code(code).send(JSON.stringify({ error, message }));
    const untrusted = this.hosts.refusal(request);
    if (untrusted !== null) {
      await refuse(403, 'untrusted_host', untrusted);
      return;
    }
    if (isCrossSite(request)) {
      const cure = 'Use the page of the simulator itself.';
      await refuse(
        403,
        'cross_site',
        `Pages of other origins may not call the control API. ${cure}`,
      );
      return;
    }
    try {
      const input = ControlInput.parse(
        request.params as Record<string, string>,
        request.query as Record<string, string | undefined>,
        Buffer.isBuffer(request.body) ? request.body : null,
      );
      await reply.send(JSON.stringify((await handle(input)) ?? {}));
    } catch (error) {
      const status = error instanceof NotKnownError ? 404 : 400;
      if (!(error instanceof SimulatorError || error instanceof RangeError)) throw error;
      const code = error instanceof SimulatorError ? error.code : 'SIMULATOR_INVALID_INPUT';
      await refuse(status, code, error.message);
    }
  }
}

/** True when a page of another origin sent the request. Such a page must not control the developer's simulator. */
export function isCrossSite(request: FastifyRequest): boolean {
  const { origin, host } = request.headers;
  if (request.headers['sec-fetch-site'] === 'cross-site') return true;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
