import http, { Agent as HttpAgent, type ClientRequest, type RequestOptions } from 'node:http';
import https, { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { errorText } from '../../runtime/logging.js';
import type { HttpSettings } from '../../accounts/payments.settings.js';
import { proxyCredentials, proxyOfEnvironment } from '../../accounts/http-settings.js';
import type { Runtime } from '../../runtime/clock.js';
import { ConnectionSlots } from './connection-slots.js';

/** A connection to the platform goes through these phases before a byte of a request can be written. */
export type ConnectionPhase = 'name' | 'TCP' | 'proxy' | 'TLS';

/** The connection was not made, so nothing was written to it. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';

  constructor(
    readonly phase: ConnectionPhase,
    message: string,
  ) {
    super(message);
  }
}

/** Says what to check after a request to `origin` got no answer. */
export function cureOf(error: Error, origin: string): string {
  const phase = error instanceof ConnectionFailure ? error.phase : 'TCP';
  const address = `PAYMENTS_BASE_URL and PAYMENTS_TOKEN_BASE_URL (${origin})`;
  return {
    name: `check ${address} and DNS`,
    TCP: `check ${address}, the firewall and the platform's status`,
    proxy: 'check the proxy (http.proxy)',
    TLS: `check the certificates of ${origin} with their chain, http.tls.ca, and the clock of this machine`,
  }[phase];
}

/** Name, TCP, proxy and TLS may take so many milliseconds together. */
export const CONNECT_WITHIN_MS = 5_000;

const TOOK_TOO_LONG = `took longer than ${CONNECT_WITHIN_MS / 1_000} s`;

/**
 * Longest time that a connection may be idle before it is used again. Servers close idle connections after 5 s or more. A request that meets the
 * end of its connection has an unknown outcome.
 */
const LONGEST_IDLE_MS = 4_000;

/** We use a connection up to so many milliseconds before the end that a `Keep-Alive: timeout=5` of the platform says. */
const BEFORE_THE_END_MS = 1_000;

/** A connection is used for so long: the platform's name may mean another address by then, and the former one answers errors only. */
const LONGEST_USED_MS = 60_000;

/** TCP checks a connection that is idle for so many milliseconds. */
const TCP_KEEP_ALIVE_MS = 60_000;

/** All accounts together may have so many times the connections of one account. */
const ACCOUNTS_AT_ONCE = 4;

/** The parts of Node's agents that their types do not have. */
interface AgentParts {
  readonly freeSockets: Record<string, Socket[]>;
  addRequest: (request: ClientRequest, options: object) => void;
  createConnection: (
    options: object,
    callback: (error: Error | null, socket?: Socket) => void,
  ) => Socket | undefined;
  keepSocketAlive: (socket: Socket) => boolean;
}

/** The request that a connection has just served. */
interface Answered extends Socket {
  readonly _httpMessage?: { readonly res?: { readonly headers: Record<string, string> } };
}

/** The parts of Node's sockets that their types do not have. */
interface OfAnother extends Socket {
  readonly secureConnecting?: boolean;
  readonly _handle?: object | null;
}

/** The facts that we know of a connection of ours. */
interface Made {
  readonly openedAt: number;
  /** The phase that it is in until a request can be written to it; null from then on. */
  phase: ConnectionPhase | null;
  /** Says since when no request uses it, how long it may be idle, and how many bytes it had received by then. */
  idle?: { readonly since: number; readonly forMs: number; readonly received: number };
}

/** The connections to one origin of all accounts with the same options. */
export class Connections {
  /** Says where and how a request is sent. */
  readonly to: RequestOptions & { agent: HttpAgent };
  readonly slots: ConnectionSlots;
  private readonly made = new WeakMap<Socket, Made>();
  /** Connections that were opened before this time are not used for another request. */
  private retiredBefore = -1;
  /** Requests to the proxy that are not answered yet. The agent does not know of them. */
  private readonly asking = new Set<ClientRequest>();

  constructor(
    readonly origin: string,
    options: Pick<HttpSettings, 'maxSockets' | 'tls' | 'proxy'>,
    private readonly runtime: Runtime,
  ) {
    const { protocol, hostname, port } = new URL(origin);
    const agent = this.agentTo(protocol, options);
    this.to = { protocol, hostname: withoutBrackets(hostname), port, agent };
    this.slots = new ConnectionSlots(options.maxSockets, options.maxSockets * ACCOUNTS_AT_ONCE);
  }

  /** The answer on one of the connections could not be used, so none that is open now serves another request. */
  retire(): void {
    this.retiredBefore = this.runtime.elapsed();
  }

  /**
   * Calls `ready` as soon as a request can be written to its connection: at once when the connection is kept, or when a tool of a test made
   * it in place of ours.
   */
  whenReady(socket: Socket, ready: () => void): void {
    const isOfAnother = !this.made.has(socket) && isOpening(socket);
    if (isOfAnother) this.follow(socket, 'TCP', this.runtime.elapsed());
    const made = this.made.get(socket);
    if (!made || made.phase === null) {
      ready();
      return;
    }
    socket.once(this.isSecure ? 'secureConnect' : 'connect', () => {
      // The other agent does not say when it uses the socket again.
      if (isOfAnother) this.made.delete(socket);
      ready();
    });
  }

  /** Says why no request may be written to an open connection now; null when one may. */
  problemOf(socket: Socket): string | null {
    const idle = this.made.get(socket)?.idle;
    if (socket.destroyed) return 'the connection was closed';
    if (!idle) return null;
    // These bytes would be taken for the answer.
    if (socket.readableLength > 0 || socket.bytesRead !== idle.received)
      return 'the platform sent something before it was asked';
    const isLate = this.runtime.elapsed() - idle.since >= idle.forMs;
    return isLate ? 'the connection was idle for too long' : null;
  }

  /** Returns why nothing could be written to a connection, with the phase in which it failed. */
  failureOf(error: Error, socket: Socket | null): ConnectionFailure {
    if (error instanceof ConnectionFailure) return error;
    const phase = (socket && this.made.get(socket)?.phase) ?? 'TCP';
    return new ConnectionFailure(phase, errorText(error));
  }

  close(): void {
    this.to.agent.destroy();
    for (const request of this.asking) request.destroy();
  }

  private get isSecure(): boolean {
    return this.to.protocol === 'https:';
  }

  private agentTo(
    protocol: string,
    { tls, proxy }: Pick<HttpSettings, 'tls' | 'proxy'>,
  ): HttpAgent {
    const { ca, cert, key, passphrase } = tls;
    const trusted = ca === undefined ? {} : { ca: [...rootCertificates, ...[ca].flat()] };
    const options: AgentOptions = {
      keepAlive: true,
      keepAliveMsecs: TCP_KEEP_ALIVE_MS,
      timeout: LONGEST_IDLE_MS,
      ...trusted,
      ...(cert !== undefined && { cert, key, passphrase }),
    };
    const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
    const parts = agent as unknown as AgentParts;
    const through = proxyOf(this.origin, proxy);
    this.connect(parts, through, trusted);
    this.keepOnlyFresh(parts);
    return agent;
  }

  /** Follows each connection until a request can be written to it. This has a time limit of its own. */
  private connect(agent: AgentParts, proxy: URL | null, trusted: object): void {
    const open = agent.createConnection;
    agent.createConnection = (options, callback) => {
      const target = options as { host: string; port: number | string };
      const beganAt = this.runtime.elapsed();
      if (!proxy) {
        const socket = open.call(agent, options, callback) as Socket;
        this.follow(socket, isIP(target.host) ? 'TCP' : 'name', beganAt);
        return socket;
      }
      const name = `${bracketed(target.host)}:${target.port}`;
      const asked = throughProxy(proxy, name, trusted, this.runtime, (error, tunnel) => {
        this.asking.delete(asked);
        if (error) {
          callback(error);
          return;
        }
        // Over TLS, the agent makes its connection on top of the one that it is given.
        const socket = this.isSecure
          ? (open.call(agent, { ...options, socket: tunnel }, callback) as Socket)
          : (tunnel as Socket);
        this.follow(socket, this.isSecure ? 'TLS' : null, beganAt);
        callback(null, socket);
      });
      this.asking.add(asked);
      return undefined;
    };
  }

  private follow(socket: Socket, phase: ConnectionPhase | null, beganAt: number): void {
    const made: Made = { openedAt: beganAt, phase };
    const leftMs = Math.max(0, beganAt + CONNECT_WITHIN_MS - this.runtime.elapsed());
    const received = phase === null ? socket.bytesRead : 0;
    this.made.set(socket, made);
    const open = (): void => {
      made.phase = null;
      made.idle = { since: this.runtime.elapsed(), forMs: LONGEST_IDLE_MS, received };
      stop();
    };
    const stop = this.runtime.timer(leftMs, () => socket.destroy(new Error(`it ${TOOK_TOO_LONG}`)));
    socket.once('close', stop);
    socket.on('lookup', (error: Error | null) => {
      if (!error) made.phase = 'TCP';
    });
    socket.once('connect', () => {
      if (this.isSecure) made.phase = 'TLS';
      else open();
    });
    socket.once('secureConnect', open);
    if (phase === null) open();
  }

  /**
   * Lets the agent use no connection that was idle for too long. Node closes idle connections by a timer, which is late in a process that is
   * busy, and it looks at the hint of the server only in some versions.
   */
  private keepOnlyFresh(agent: AgentParts): void {
    const { addRequest, keepSocketAlive } = agent;
    agent.keepSocketAlive = (socket) => {
      const made = this.made.get(socket);
      const forMs = made && this.isYoung(made) ? idleTimeOf(socket) : 0;
      if (made) made.idle = { since: this.runtime.elapsed(), forMs, received: socket.bytesRead };
      return forMs > 0 && keepSocketAlive.call(agent, socket);
    };
    agent.addRequest = (request, options) => {
      for (const [name, sockets] of Object.entries(agent.freeSockets)) {
        // The agent would still choose a destroyed socket.
        const fresh = sockets.filter((socket) => this.isFresh(socket));
        if (fresh.length > 0) agent.freeSockets[name] = fresh;
        else delete agent.freeSockets[name];
        for (const socket of sockets) if (!fresh.includes(socket)) socket.destroy();
      }
      addRequest.call(agent, request, options);
    };
  }

  private isFresh(socket: Socket): boolean {
    const made = this.made.get(socket);
    return made !== undefined && this.isYoung(made) && this.problemOf(socket) === null;
  }

  private isYoung({ openedAt }: Made): boolean {
    return openedAt > this.retiredBefore && this.runtime.elapsed() - openedAt < LONGEST_USED_MS;
  }
}

/**
 * True for a real socket that another agent has made and that is not open yet: some tools replace the agent of every request in a process.
 */
function isOpening(socket: Socket): boolean {
  const { connecting, secureConnecting, _handle } = socket as OfAnother;
  return Boolean(_handle) && (connecting || secureConnecting === true);
}

/** Returns how long a connection may be idle, in milliseconds, by the answer that it has just had. */
function idleTimeOf(socket: Socket): number {
  const { _httpMessage: request } = socket as Answered;
  const hint = /timeout=(\d+)/i.exec(request?.res?.headers['keep-alive'] ?? '')?.[1];
  if (hint === undefined) return LONGEST_IDLE_MS;
  return Math.min(LONGEST_IDLE_MS, Number(hint) * 1_000 - BEFORE_THE_END_MS);
}

/** Returns the proxy on the way to an origin; null: none. */
function proxyOf(origin: string, proxy: HttpSettings['proxy']): URL | null {
  const address = proxy === 'environment' ? proxyOfEnvironment(origin) : proxy;
  return address ? new URL(address) : null;
}

/** Asks a proxy for a connection to `target` (`host:port`). It calls back once, after this function has returned. */
function throughProxy(
  proxy: URL,
  target: string,
  trusted: object,
  runtime: Runtime,
  callback: (error: Error | null, socket?: Socket) => void,
): ClientRequest {
  const hostname = withoutBrackets(proxy.hostname);
  const credentials = Buffer.from(proxyCredentials(proxy)).toString('base64');
  const request = (proxy.protocol === 'https:' ? https : http).request({
    protocol: proxy.protocol,
    hostname,
    // Without this, Node would expect the host of the header in the certificate of the proxy.
    servername: isIP(hostname) ? '' : hostname,
    port: proxy.port,
    ...trusted,
    agent: false,
    method: 'CONNECT',
    path: target,
    headers: {
      Host: target,
      ...(proxy.username && { 'Proxy-Authorization': `Basic ${credentials}` }),
    },
  });
  let isOver = false;
  const end = (error: ConnectionFailure | null, socket?: Socket): void => {
    stop();
    if (isOver) return;
    isOver = true;
    if (error) request.destroy();
    callback(error, socket);
  };
  const fail = (why: string): void => end(new ConnectionFailure('proxy', why));
  const stop = runtime.timer(CONNECT_WITHIN_MS, () => fail(`the proxy ${TOOK_TOO_LONG}`));
  request.once('connect', ({ statusCode = 0 }, socket: Socket, early: Buffer) => {
    const isOpen = statusCode >= 200 && statusCode < 300 && early.length === 0;
    if (isOpen) {
      end(null, socket);
      return;
    }
    socket.destroy();
    fail(refusalOf(statusCode));
  });
  request.on('error', (error) => fail(errorText(error)));
  request.on('close', () => fail('the proxy closed the connection'));
  request.end();
  return request;
}

/** Says why a proxy has made no connection. The page that some proxies send with it says no more. */
function refusalOf(status: number): string {
  if (status < 300) return 'the proxy sent something before the platform was asked';
  // Some proxies answer 401 to a wrong password, as a server would.
  const isUnknown = status === 401 || status === 407;
  return `the proxy answered ${status}${isUnknown ? ': it wants a user and a password' : ''}`;
}

/** An IPv6 address has brackets in a URL only. */
function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
