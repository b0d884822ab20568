import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { PaymentsOptions } from '@tillkit/payments';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** Answers a create as accepted. */
export const created = (id: string, path = '/api/v2/incoming_payments'): Handler =>
  json(201, {}, { location: `https://platform.invalid${path}/${id}` });

/** Answers a token request. */
export const token = (changes: object = {}): Handler =>
  json(200, { access_token: 'a-token', token_type: 'bearer', expires_in: 3_600, ...changes });

/** A platform that gives the answers that a test sets, also those that its contract forbids. */
export class ScriptedPlatform {
  readonly asked: string[] = [];
  private readonly bodies = new Map<string, string[]>();
  private readonly answers = new Map<string, Handler[]>();
  private server: Server;

  /** @param tls speaks HTTPS, with these options of the server */
  constructor(private readonly tls?: ServerOptions) {}

  static async open(tls?: ServerOptions): Promise<ScriptedPlatform> {
    const platform = new ScriptedPlatform(tls);
    await platform.start();
    return platform;
  }

  /** Begins again at another port, without received requests. Only tokens are answered. */
  async start(): Promise<void> {
    for (const earlier of [this.bodies, this.answers]) earlier.clear();
    this.asked.length = 0;
    const answer: Handler = (request, response) => this.answer(request, response);
    this.server = this.tls ? createSecureServer(this.tls, answer) : createServer(answer);
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.on('POST /oauth/token', token());
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  /** The application of `settings`, as stores know it. */
  get application(): string {
    return `${this.url} an-id`;
  }

  /** Settings of an application that talks to this platform, without background requests. */
  get settings(): PaymentsOptions {
    return {
      baseUrl: this.url,
      clientId: 'an-id',
      clientSecret: 'a-secret',
      reconciliation: false,
    };
  }

  /** Sets the answers of a route. They are sent in turn, and the last one is repeated. */
  on(route: string, ...answers: Handler[]): void {
    this.answers.set(route, answers);
  }

  /** Each polling window shows these transactions. */
  lists(...transactions: readonly { type: string; resource: object }[]): void {
    const attributes = { status: 'Success', transactions };
    const data = { id: 'one', type: 'polling', attributes };
    this.on('POST /api/v2/polling', created('one', '/api/v2/polling'));
    this.on('GET /api/v2/polling/one', json(200, { data }));
  }

  count(route: string): number {
    return this.asked.filter((asked) => asked === route).length;
  }

  /** Returns the JSON bodies that a route received. */
  received(route: string): unknown[] {
    return this.texts(route).map((body): unknown => JSON.parse(body));
  }

  /** The bodies that a route received, as they came. @param route all routes, if none is given */
  texts(route?: string): string[] {
    return route === undefined ? [...this.bodies.values()].flat() : (this.bodies.get(route) ?? []);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const route = `${request.method} ${request.url}`;
    this.asked.push(route);
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      this.bodies.set(route, [...(this.bodies.get(route) ?? []), body]);
      const answers = this.answers.get(route) ?? [json(404, {})];
      const [next] = answers.length > 1 ? answers.splice(0, 1) : answers;
      next?.(request, response);
    });
  }
}

export const CREATE = 'POST /api/v2/incoming_payments';
export const TOKEN = 'POST /oauth/token';
