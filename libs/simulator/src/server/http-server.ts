import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import findMyWay from 'find-my-way';
import { CannotListenError } from '../simulator.errors.js';

/** The largest request that the platform reads. */
const BODY_LIMIT = 1024 * 1024;

/** Longer than clients keep a connection that they do not use. A server that closes it first would break the next request. */
const KEEP_ALIVE_MS = 72_000;

/** A request whose body was read. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  /** Null when the request has none. */
  readonly body: Buffer | null;
  /** The address to which it was sent. */
  readonly localAddress: string | undefined;
}

export type HttpHandler = (request: HttpRequest, response: ServerResponse) => void | Promise<void>;

/** A request that cannot be routed or read. */
export class UnreadableRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface HttpServerOptions {
  readonly tls: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined;
  /** When true, `//path` is the same as `/path`. */
  readonly ignoreDuplicateSlashes: boolean;
  /** Answers a request for which there is no route. */
  readonly onMissing: HttpHandler;
  /** Answers a request that is unreadable, or whose handler has thrown. */
  readonly onError: (
    error: unknown,
    request: HttpRequest,
    response: ServerResponse,
  ) => void | Promise<void>;
}

/** Routes requests by method and path, and reads their bodies as bytes: the endpoints check the media type themselves. */
export class HttpServer {
  private readonly router: findMyWay.Instance<findMyWay.HTTPVersion.V1>;
  private readonly servers: Server[] = [];

  constructor(private readonly options: HttpServerOptions) {
    const { ignoreDuplicateSlashes, onMissing, onError } = options;
    this.router = findMyWay({
      ignoreDuplicateSlashes,
      defaultRoute: (message, response) => void this.serve(onMissing, message, response),
      onBadUrl: (path, message, response) => {
        const error = new UnreadableRequest(400, `'${path}' is not a valid url component`);
        void onError(error, requestOf(message), response);
      },
    });
  }

  route(method: string, path: string, handle: HttpHandler): void {
    const verb = method as findMyWay.HTTPMethod;
    this.router.on(verb, path, (message, response, found, _store, query) => {
      const params = found as Record<string, string>;
      void this.serve(handle, message, response, { params, query });
    });
  }

  /** @returns the port. @throws CannotListenError */
  async listen(host: string, port: number): Promise<number> {
    const listener: RequestListener = (message, response) =>
      void this.router.lookup(message, response);
    const opened = await this.open(listener, host, port);
    // A client may use either address of this name.
    const addresses = host === 'localhost' ? await lookup(host, { all: true }) : [];
    for (const { address } of addresses.filter((other) => other.address !== opened.address))
      await this.open(listener, address, opened.port).catch(() => undefined);
    return opened.port;
  }

  /** Ends all connections, also those with an answer that was never sent. */
  async close(): Promise<void> {
    await Promise.all(this.servers.splice(0).map(closeNow));
  }

  private async open(
    listener: RequestListener,
    host: string,
    port: number,
  ): Promise<{ address: string; port: number }> {
    const { tls } = this.options;
    const server = tls ? createSecureServer({ ...tls }, listener) : createServer(listener);
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    // A test may move the clock by hours while a request is read.
    server.requestTimeout = 0;
    const opened = await listenAt(server, host, port);
    this.servers.push(server);
    return opened;
  }

  private async serve(
    handle: HttpHandler,
    message: IncomingMessage,
    response: ServerResponse,
    more: Partial<HttpRequest> = {},
  ): Promise<void> {
    const request = { ...requestOf(message), ...more };
    try {
      await handle({ ...request, body: await bodyOf(message) }, response);
    } catch (error) {
      await this.options.onError(error, request, response);
    }
  }
}

/** Begins to listen. @throws CannotListenError */
export async function listenAt(
  server: Server,
  host: string,
  port: number,
): Promise<{ address: string; port: number }> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new CannotListenError(host, port, error);
  }
  const address = server.address();
  return typeof address === 'object' && address ? address : { address: host, port };
}

export async function closeNow(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** Sends a whole answer. */
export function respond(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

function requestOf({ method = '', url = '', headers, socket }: IncomingMessage): HttpRequest {
  const { localAddress } = socket;
  return { method, url, headers, params: {}, query: {}, body: null, localAddress };
}

/** Returns the body; null when the request has none. @throws UnreadableRequest */
async function bodyOf(message: IncomingMessage): Promise<Buffer | null> {
  const { headers, method = '' } = message;
  const length = headers['content-length'] ?? '0';
  const isEmpty = length === '0' && headers['transfer-encoding'] === undefined;
  if (method === 'GET' || method === 'HEAD') return null;
  if (isEmpty && headers['content-type'] === undefined) return null;
  if (Number(length) > BODY_LIMIT) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message
      .on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        // What still comes is read and not kept, so that the answer reaches the client.
        if (bytes <= BODY_LIMIT) chunks.push(chunk);
        else reject(tooLarge());
      })
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('error', ({ message: why }) => reject(new UnreadableRequest(400, why)));
  });
}

function tooLarge(): UnreadableRequest {
  return new UnreadableRequest(413, 'Request body is too large');
}
