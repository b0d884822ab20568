import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came to a proxy. */
export interface ProxiedRequest {
  method: string;
  path: string;
  authorization: string | null;
  body: string;
}

/** Another origin of a platform: it records each request and passes it on. */
export class RecordingProxy {
  readonly requests: ProxiedRequest[] = [];
  /** Changes the body of an answer. */
  alter: (path: string, body: string) => string = (_path, body) => body;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  /** @param target the origin to which requests are passed */
  static async open(target: string): Promise<RecordingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new RecordingProxy(server, target);
    server.on('request', (request, response) => {
      // The platform may stop, or close a kept connection, while a request is on its way. Then nobody answers the request, as on a network.
      proxy.pass(request, response).catch(() => response.destroy());
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = 'GET', url: path = '/', headers } = request;
    const authorization = headers.authorization ?? null;
    this.requests.push({ method, path, authorization, body: body.toString() });
    const { host: _host, connection: _connection, 'content-length': _length, ...passed } = headers;
    const answer = await fetch(this.target + path, {
      method,
      headers: passed as Record<string, string>,
      redirect: 'manual',
      ...(method === 'POST' && { body: new Uint8Array(body) }),
    });
    const {
      'content-length': _left,
      'transfer-encoding': _encoding,
      ...answered
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, answered);
    response.end(this.alter(path, await answer.text()));
  }
}
