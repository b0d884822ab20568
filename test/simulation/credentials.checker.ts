import type {
  PlatformRequest,
  PlatformResponse,
} from '../../libs/payments/src/platform/http/platform-answer.js';
import type { Simulation } from './history.simulation.js';

/** Checks that secrets and tokens go only to the host to which they belong. */
export class Credentials {
  /** The host that gave each token. */
  private readonly hosts = new Map<string, string>();

  constructor(private readonly simulation: Simulation) {}

  /** The simulation calls this when a process writes a request to the socket. */
  sent(process: string, origin: string, { path, body, accessToken }: PlatformRequest): void {
    const generation = /platform-(\d+)\./.exec(origin)?.[1];
    const { simulation } = this;
    const client = new URLSearchParams(path.startsWith('/oauth/') ? body?.text : '').get(
      'client_id',
    );
    if (client !== null && !client.startsWith(`client-${generation} `))
      simulation.violate(
        'secret sent to another host',
        `${process} sends the secret of ${client} to ${origin}`,
      );
    if (accessToken === undefined) return;
    const host = this.hosts.get(accessToken);
    if (host !== origin)
      simulation.violate(
        'secret sent to another host',
        `${process} sends a token of ${host} to ${origin}`,
      );
  }

  answered(origin: string, { path }: PlatformRequest, { status, text }: PlatformResponse): void {
    if (path !== '/oauth/token' || status !== 200) return;
    const { access_token: token } = JSON.parse(text) as { access_token: string };
    this.hosts.set(token, origin);
  }
}
