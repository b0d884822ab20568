import type { ServerResponse } from 'node:http';
import { type HttpRequest, type HttpServer, respond } from '../server/http-server.js';
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

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
};

/** Serves the control API beside the platform. It needs no credentials, because it is for the developer's own machine. */
export class ControlController {
  constructor(
    private readonly server: HttpServer,
    private readonly hosts: TrustedHosts,
  ) {}

  add(routes: ControlRoutes): void {
    for (const [key, handle] of Object.entries(routes)) {
      const [method = '', path = ''] = key.split(' ');
      this.server.route(method, CONTROL_PATH + path.replace(/\/$/, ''), (request, response) =>
        this.serve(handle, request, response),
      );
    }
  }

  private async serve(
    handle: ControlHandler,
    request: HttpRequest,
    response: ServerResponse,
  ): Promise<void> {
    const answer = (status: number, body: unknown): void =>
      respond(response, status, JSON_HEADERS, JSON.stringify(body));
    const refuse = (status: number, error: string, message: string): void =>
      answer(status, { error, message });
    const untrusted = this.hosts.refusal(request);
    if (untrusted !== null) return refuse(403, 'untrusted_host', untrusted);
    if (isCrossSite(request))
      return refuse(
        403,
        'cross_site',
        'Pages of other origins may not call the control API. Use the page of the simulator itself.',
      );
    try {
      const input = ControlInput.parse(
        request.params,
        request.query as Record<string, string | undefined>,
        request.body,
      );
      answer(200, (await handle(input)) ?? {});
    } catch (error) {
      const status = error instanceof NotKnownError ? 404 : 400;
      if (!(error instanceof SimulatorError || error instanceof RangeError)) throw error;
      const code = error instanceof SimulatorError ? error.code : 'SIMULATOR_INVALID_INPUT';
      refuse(status, code, error.message);
    }
  }
}

/** True when a page of another origin sent the request. Such a page must not control the developer's simulator. */
export function isCrossSite({ headers }: HttpRequest): boolean {
  const { origin, host } = headers;
  if (headers['sec-fetch-site'] === 'cross-site') return true;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
