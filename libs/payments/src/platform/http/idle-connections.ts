import { Agent as HttpAgent, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from 'node:https';
import type { Socket } from 'node:net';

/**
 * Longest time that a connection may be idle before it is used again. Servers close idle connections after 5 s or more. A request that meets the
 * end of its connection has an unknown outcome.
 */
const LONGEST_IDLE_MS = 4_000;

/** What a `Keep-Alive: timeout=5` of the platform says is used up to this time before its end. */
const BEFORE_THE_END_MS = 1_000;

/** When a connection became idle, and how long it may be. */
interface Idle {
  readonly since: number;
  readonly forMs: number;
}

/** What Node's agents do, and their types do not say. */
interface AgentParts {
  readonly freeSockets: Record<string, Socket[]>;
  addRequest: (request: ClientRequest, options: object) => void;
  keepSocketAlive: (socket: Socket) => boolean;
}

/** The request that a connection has just served. */
interface Answered extends Socket {
  readonly _httpMessage?: { readonly res?: { readonly headers: Record<string, string> } };
}

/** @param elapsed milliseconds of a clock that nobody sets */
export function freshAgent(
  protocol: string,
  options: HttpsAgentOptions,
  elapsed: () => number,
): HttpAgent {
  const all = { ...options, timeout: LONGEST_IDLE_MS };
  return withFreshConnections(
    protocol === 'https:' ? new HttpsAgent(all) : new HttpAgent(all),
    elapsed,
  );
}

/**
 * Makes an agent use no connection that was idle for too long. Node closes idle connections by a timer, which is late in a process that is
 * busy, and it looks at the hint of the server only in some versions.
 */
function withFreshConnections(agent: HttpAgent, elapsed: () => number): HttpAgent {
  const parts = agent as unknown as AgentParts;
  const idle = new WeakMap<Socket, Idle>();
  const { addRequest, keepSocketAlive } = parts;
  parts.keepSocketAlive = (socket) => {
    const forMs = idleTimeOf(socket);
    idle.set(socket, { since: elapsed(), forMs });
    return forMs > 0 && keepSocketAlive.call(agent, socket);
  };
  const isFresh = (socket: Socket): boolean => {
    const existing = idle.get(socket);
    return existing !== undefined && elapsed() - existing.since < existing.forMs;
  };
  parts.addRequest = (request, options) => {
    for (const [name, sockets] of Object.entries(parts.freeSockets)) {
      // Its agent would still choose a destroyed one.
      const fresh = sockets.filter(isFresh);
      if (fresh.length > 0) parts.freeSockets[name] = fresh;
      else delete parts.freeSockets[name];
      for (const socket of sockets) if (!fresh.includes(socket)) socket.destroy();
    }
    addRequest.call(agent, request, options);
  };
  return agent;
}

/** How long a connection may be idle, by the answer that it has just had. */
function idleTimeOf(socket: Socket): number {
  const { _httpMessage: request } = socket as Answered;
  const header = request?.res?.headers['keep-alive'];
  const hint = /timeout=(\d+)/i.exec(header ?? '')?.[1];
  if (hint === undefined) return LONGEST_IDLE_MS;
  return Math.min(LONGEST_IDLE_MS, Number(hint) * 1_000 - BEFORE_THE_END_MS);
}
