import { connect, type Socket } from 'node:net';

/** A plain TCP connection to an application, for requests that no HTTP client sends. */
export class RawConnection {
  /** Everything that the application has sent. */
  text = '';
  readonly closed: Promise<void>;
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      this.text += chunk;
      this.wake();
    });
    // The application may close a connection by a reset, so this is no failure.
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) =>
      socket.once('close', () => {
        resolve();
        this.wake();
      }),
    );
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return new RawConnection(socket);
  }

  /** Sends the head of a POST. */
  post(target: string, headers: Record<string, string | number>, body: Buffer | string = ''): void {
    const lines = Object.entries({ Host: 'localhost', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    this.send(`POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    this.send(body);
  }

  send(bytes: Buffer | string): void {
    if (bytes.length > 0 && this.socket.writable) this.socket.write(bytes);
  }

  /** Returns the status of the answer, when its head has come; 0 when the connection was closed without one. */
  async status(): Promise<number> {
    while (!this.text.includes('\r\n\r\n') && !this.socket.destroyed)
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.text)?.[1] ?? 0);
  }

  /** Ends the connection like a client that has lost its network. */
  abort(): void {
    this.socket.resetAndDestroy();
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

/** Returns a body in chunked transfer encoding, each chunk with so many bytes. */
export function chunked(body: string, bytesEach: number): string {
  let text = '';
  for (let at = 0; at < body.length; at += bytesEach) {
    const chunk = body.slice(at, at + bytesEach);
    text += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return `${text}0\r\n\r\n`;
}
