import { Socket } from 'node:net';

/** The moment when a connection breaks: before a statement is sent, after it is sent, or after it is done and before its answer is read. */
export type Cut = 'before' | 'sent' | 'answer';

/** First bytes of messages from the client (PostgreSQL's protocol, "Message Formats"). */
const QUERY = 0x51;
const PARSE = 0x50;
const SYNC = 0x53;

/** "Ready for query": the last six bytes of an answer, which follow the commit. */
const READY = 0x5a;
const READY_LENGTH = 6;

/** The connections of one process, and the fault of its next statement. */
export class Connections {
  /** The moment when the connection of the next statement breaks; null when it does not break. */
  next: Cut | null = null;
  /** True when new connections are refused. */
  refused = false;
  private readonly sockets = new Set<Socket>();

  open(): Socket {
    const socket = new FaultySocket(this);
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    return socket;
  }

  /** Destroys all connections, as a crash of the process does. */
  destroy(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  consumeCut(): Cut | null {
    const cut = this.next;
    this.next = null;
    return cut;
  }
}

/** A real socket that breaks when its `Connections` say so. */
class FaultySocket extends Socket {
  private cut: Cut | null = null;

  constructor(private readonly connections: Connections) {
    super();
  }

  override connect(...where: unknown[]): this {
    if (!this.connections.refused) return super.connect(...(where as [number, string]));
    process.nextTick(() => this.destroy(broken('ECONNREFUSED')));
    return this;
  }

  override write(chunk: Uint8Array | string, ...rest: unknown[]): boolean {
    const [kind] = typeof chunk === 'string' ? [] : chunk;
    if (kind === PARSE || kind === QUERY) this.cut = this.connections.consumeCut();
    if (this.cut === 'before') {
      this.destroy(broken('ECONNRESET'));
      return false;
    }
    if (this.cut === 'sent' && (kind === SYNC || kind === QUERY)) {
      return super.write(chunk, () => this.destroy(broken('ECONNRESET')));
    }
    return super.write(chunk, ...(rest as [BufferEncoding]));
  }

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'data' || this.cut !== 'answer') return super.emit(event, ...args);
    const [chunk] = args as [Buffer];
    if (chunk.at(-READY_LENGTH) === READY) this.destroy(broken('ECONNRESET'));
    return true;
  }
}

function broken(code: string): Error {
  return Object.assign(new Error(`the connection broke (${code})`), { code });
}
