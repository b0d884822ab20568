import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type TlsOptions } from 'node:tls';
import { until } from './until.js';

/**
 * The fate of a tunnel:
 * - `passes`: it goes to its target
 * - `hangs`: nothing is answered
 * - `closes`: the connection is closed before an answer
 * - `breaks`: it is closed just after it was opened
 * - `refuses`: it wants a password, and says so on a page
 * - `speaks`: after the answer come bytes that the target has not sent
 */
export type Script = 'passes' | 'hangs' | 'closes' | 'breaks' | 'refuses' | 'speaks';

const OPEN = 'HTTP/1.1 200 Connection established\r\n\r\n';
const REFUSAL = 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 6\r\n\r\na page';

/** A proxy that does what a test sets, even what no proxy should do. */
export class ScriptedProxy {
  /** The heads of the requests that it received. */
  readonly asked: string[] = [];
  /** The server names in the TLS connections to it. */
  readonly calledAs: (string | false | null)[] = [];
  script: Script = 'passes';
  /** Ends the tunnel in which the client sends this text, when so many bytes of it have passed. */
  endsWithin: { text: string; afterBytes: number } | null = null;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly protocol: string,
  ) {}

  /** @param tls clients reach the proxy by TLS */
  static async open(tls?: TlsOptions): Promise<ScriptedProxy> {
    const server = tls ? createSecureServer(tls) : createServer();
    const proxy = new ScriptedProxy(server, tls ? 'https' : 'http');
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => proxy.serve(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `${this.protocol}://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of its open connections, to both sides. */
  get connections(): number {
    return this.sockets.size;
  }

  /** Ends every tunnel at once. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Ends every tunnel, and resolves when its client has noticed it. */
  async end(): Promise<void> {
    for (const socket of this.sockets) socket.end();
    await until(() => this.sockets.size === 0);
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(client: Socket): void {
    this.keep(client);
    this.calledAs.push((client as { servername?: string | false }).servername ?? null);
    let head = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      client.off('data', read);
      this.asked.push(head.subarray(0, end).toString());
      this.answer(client, this.asked.at(-1)!);
    };
    client.on('data', read);
  }

  private answer(client: Socket, head: string): void {
    if (this.script === 'hangs') return;
    if (this.script === 'closes') client.destroy();
    else if (this.script === 'breaks') client.write(OPEN, () => client.destroy());
    else if (this.script === 'refuses') client.write(REFUSAL);
    else if (this.script === 'speaks') client.write(`${OPEN}HTTP/1.1 201 Created\r\n\r\n`);
    else this.pass(client, Number(/:(\d+) HTTP/.exec(head)?.[1]));
  }

  private pass(client: Socket, port: number): void {
    const target = connect(port, '127.0.0.1');
    this.keep(target);
    const end = (): void => {
      client.destroy();
      target.destroy();
    };
    client.on('close', end);
    target.on('close', end);
    target.once('connect', () => client.write(OPEN));
    target.pipe(client);
    client.on('data', (chunk: Buffer) => {
      const { endsWithin } = this;
      const at = endsWithin ? chunk.indexOf(endsWithin.text) : -1;
      if (endsWithin && at >= 0) target.write(chunk.subarray(0, at + endsWithin.afterBytes), end);
      else target.write(chunk);
    });
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }
}
