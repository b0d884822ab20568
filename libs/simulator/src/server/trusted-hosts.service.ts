import type { SimulatorSettings } from '../simulator.options.js';
import { isLoopback } from '../values/callback-url.js';
import type { HttpRequest } from './http-server.js';

/**
 * Decides which requests may reach the control API and the pages. A page of another origin can make its own name resolve to this
 * machine (DNS rebinding); then only the `Host` header shows that the request is not for us.
 */
export class TrustedHosts {
  private readonly names: ReadonlySet<string>;

  constructor({ host, publicUrl, allowedHosts }: SimulatorSettings) {
    const published = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
    const listening = host.includes(':') ? `[${host}]` : host;
    this.names = new Set([listening, ...published, ...allowedHosts].map((n) => n.toLowerCase()));
  }

  /** Returns the reason why the request is refused; null when it is not. */
  refusal({ headers, localAddress }: HttpRequest): string | null {
    const { host = '' } = headers;
    const name = hostnameOf(host);
    if (name !== null && this.isTrusted(name, localAddress)) return null;
    return (
      `The host "${host.slice(0, 100)}" is not allowed here, because any web page can give its own name this address. ` +
      'If it is yours, start the simulator with --allow-host, or set the option allowedHosts.'
    );
  }

  private isTrusted(name: string, localAddress = ''): boolean {
    // The address to which the request was sent is always allowed. A page can reach us under its own origin only by a name.
    const address = localAddress.replace(/^::ffff:/, '');
    const isOurAddress = name === address || name === `[${address}]`;
    return isLoopback(name) || isOurAddress || this.names.has(name);
  }
}

function hostnameOf(host: string): string | null {
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`).hostname;
}
