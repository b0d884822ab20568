import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The moment of a fault on a connection: as it is opened, at its first bytes, at the next request, or at the next answer. */
export type Phase = 'opening' | 'handshake' | 'request' | 'answer';

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

export interface PathFault {
  readonly phase: Phase;
  /** This many bytes that are on their way still arrive. @default none */
  readonly bytesLeft?: number;
  /** The bytes that somebody writes to the client. */
  readonly writes?: Buffer;
  /** The end of the connection after that. @default it does not end, but hangs */
  readonly ends?: 'reset' | 'closed';
}

/**
 * Somebody on the path between a client and a platform. Bytes pass unchanged until a fault is armed. The fault happens to one connection,
 * once.
 */
export class HostilePath {
  /** The number of times that a fault has happened. */
  happened = 0;
  private fault: PathFault | null = null;
  private readonly open = new Set<Socket>();
  /** Nothing arrives any more on these connections. */
  private readonly hung = new WeakSet<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly platformPort: number,
    private readonly version: TlsVersion | null,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  /** @param version of TLS that both sides speak; null for no TLS */
  static async to(platformPort: number, version: TlsVersion | null): Promise<HostilePath> {
    const server = createServer();
    const path = new HostilePath(server, platformPort, version);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return path;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  arm(fault: PathFault | null): void {
    this.fault = fault;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    const platform = connect(this.platformPort, '127.0.0.1');
    for (const socket of [client, platform]) {
      this.open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.open.delete(socket);
        client.destroy();
        platform.destroy();
      });
    }
    if (this.fault?.phase === 'opening') this.happen(client, client, Buffer.alloc(0));
    let isFirst = true;
    let isAsked = false;
    const requests = new Requests(this.version);
    client.on('data', (chunk) => {
      const at = requests.beginAt(chunk);
      const isDue =
        (this.fault?.phase === 'handshake' && isFirst) ||
        (this.fault?.phase === 'request' && at !== null);
      isFirst = false;
      isAsked ||= at !== null;
      if (this.hung.has(client)) return;
      if (!isDue) {
        platform.write(chunk);
        return;
      }
      if (at) platform.write(chunk.subarray(0, at));
      this.happen(client, platform, chunk.subarray(at ?? 0));
    });
    platform.on('data', (chunk) => {
      if (this.fault?.phase === 'answer' && isAsked) this.happen(client, client, chunk);
      else if (!this.hung.has(client)) client.write(chunk);
    });
  }

  private happen(client: Socket, to: Socket, chunk: Buffer): void {
    const { bytesLeft = 0, writes, ends } = this.fault as PathFault;
    this.fault = null;
    this.happened += 1;
    this.hung.add(client);
    if (bytesLeft > 0) to.write(chunk.subarray(0, bytesLeft));
    const end = (): void => {
      if (writes) client.write(writes);
      if (ends === 'reset') client.resetAndDestroy();
      else if (ends) client.end();
    };
    // We end the connection later, so that the bytes that still arrive are read first.
    if (bytesLeft > 0) setTimeout(end, 20);
    else end();
  }
}

const APPLICATION_DATA = 0x17;
const RECORD_HEADER = 5;
/** An alert of TLS 1.3 looks like data. A connection that ends sends one, and that is no request. */
const ALERT_LENGTH = 19;

/** Finds the beginnings of requests in the bytes that a client sends on one connection. */
class Requests {
  private records = 0;
  /** The bytes of the last record that are still to come. */
  private ofLast = 0;

  constructor(private readonly version: TlsVersion | null) {}

  /** Returns the place of a request in a chunk; null when the chunk has none. */
  beginAt(chunk: Buffer): number | null {
    if (this.version === null) return 0;
    // The end of the handshake of TLS 1.3 is such a record too.
    const ofHandshake = this.version === 'TLSv1.3' ? 1 : 0;
    let at = this.ofLast;
    for (; at + RECORD_HEADER <= chunk.length;) {
      const length = chunk.readUInt16BE(at + 3);
      const isData = chunk[at] === APPLICATION_DATA && length !== ALERT_LENGTH;
      if (isData) this.records += 1;
      if (isData && this.records > ofHandshake) return at;
      at += RECORD_HEADER + length;
    }
    this.ofLast = Math.max(0, at - chunk.length);
    return null;
  }
}
