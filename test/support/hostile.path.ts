import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** When something happens to a connection: as it is opened, at its first bytes, at the next request, or at the next answer. */
export type Phase = 'opening' | 'handshake' | 'request' | 'answer';

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

/** What happens to a connection. */
export interface PathFault {
  readonly phase: Phase;
  /** So many bytes of what is on its way arrive still. @default none */
  readonly bytesLeft?: number;
  /** What somebody writes to the client. */
  readonly writes?: Buffer;
  /** How it ends then. @default not at all: it hangs */
  readonly ends?: 'reset' | 'closed';
}

/** Somebody on the path between a client and a platform: bytes pass as they are, until a fault is armed. It happens to one connection, once. */
export class HostilePath {
  /** How often a fault has happened. */
  happened = 0;
  private fault: PathFault | null = null;
  private readonly open = new Set<Socket>();
  /** Connections on which nothing arrives any more. */
  private readonly hung = new WeakSet<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly platformPort: number,
    private readonly version: TlsVersion | null,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  /** @param version of TLS that both sides speak; null: none */
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
    // What arrives still is read first.
    if (bytesLeft > 0) setTimeout(end, 20);
    else end();
  }
}

const APPLICATION_DATA = 0x17;
const RECORD_HEADER = 5;
/** An alert of TLS 1.3 looks like data: a connection that ends says so by one, and is not asking. */
const ALERT_LENGTH = 19;

/** Finds where requests begin in what a client sends on one connection. */
class Requests {
  private records = 0;

  constructor(private readonly version: TlsVersion | null) {}

  /** The place in a chunk; null: it holds none. */
  beginAt(chunk: Buffer): number | null {
    if (this.version === null) return 0;
    // The end of the handshake of TLS 1.3 is such a record, too.
    const ofHandshake = this.version === 'TLSv1.3' ? 1 : 0;
    for (let at = 0; at + RECORD_HEADER <= chunk.length;) {
      const length = chunk.readUInt16BE(at + 3);
      const isData = chunk[at] === APPLICATION_DATA && length !== ALERT_LENGTH;
      if (isData) this.records += 1;
      if (isData && this.records > ofHandshake) return at;
      at += RECORD_HEADER + length;
    }
    return null;
  }
}
