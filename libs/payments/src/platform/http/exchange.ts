import http, {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { CancelTimer } from '../../runtime/clock.js';
import { ConnectionFailure, type Connections } from './connections.js';
import { untilDeadline, type WritePermission } from './write-permission.js';

/** One request, and how long and large its answer may be. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | undefined;
  /** Milliseconds for the request: of a create, from its first byte to the end of its answer; of any other, from now. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** When it aborts, the request ends as well. A create has none, because its outcome would be unknown. */
  readonly shutdown: AbortSignal | undefined;
}

/** An answer, and its whole text. */
interface Exchanged {
  readonly answer: IncomingMessage;
  readonly text: string;
}

/** The answer is larger than allowed. */
export class AnswerTooLarge extends Error {}

const UTF8 = new TextDecoder();

/**
 * Writes one request to a connection when the connection is open and the permission allows it, and reads its whole answer. It follows no
 * redirect.
 * @throws what `permission` throws, ConnectionFailure, AnswerTooLarge, or what Node says. Only `permission` knows whether something was
 * sent
 */
export function exchange(
  connections: Connections,
  sent: Exchange,
  permission: WritePermission,
): Promise<Exchanged> {
  if (sent.shutdown?.aborted) return Promise.reject(closing());
  return new Promise((resolve, reject) => {
    new OneExchange(connections, sent, permission, resolve, reject).begin();
  });
}

/** The class uses methods instead of closures, because closures would be made anew for each request. */
class OneExchange {
  private readonly request: ClientRequest;
  private isOver = false;
  private stop: CancelTimer | null = null;

  constructor(
    private readonly connections: Connections,
    private readonly sent: Exchange,
    private readonly permission: WritePermission,
    private readonly resolve: (exchanged: Exchanged | Promise<Exchanged>) => void,
    private readonly reject: (error: Error) => void,
  ) {
    const { to } = connections;
    const { method, path, headers } = sent;
    // We do not import `request`, because telemetry of the host replaces it in the module.
    const make = to.protocol === 'https:' ? https.request : http.request;
    // Node writes nothing of it before `end()`.
    this.request = make({ ...to, method, path, headers });
  }

  begin(): void {
    const { request, sent, connections, permission } = this;
    request.once('socket', (socket) =>
      connections.whenReady(socket, () => {
        permission.refresh().then(
          () => afterArrivals(() => this.write(socket)),
          (error: Error) => this.fail(error),
        );
      }),
    );
    request.on('response', (answer) => this.read(answer));
    request.on('error', (error: Error & { rawPacket?: Buffer }) => {
      // The error has the bytes that came, with tokens and phone numbers: whoever logs the error would log them.
      delete error.rawPacket;
      if (permission.isUsed) this.fail(error);
      else this.failUnwritten(connections.failureOf(error, request.socket));
    });
    request.on('close', () => {
      // The answer says more of how it ended.
      if (!this.isOver) setImmediate(() => this.fail(new Error('the connection was closed')));
    });
    if (sent.shutdown) this.limit();
  }

  private write(socket: Socket): void {
    if (this.isOver) return;
    const problem = this.connections.problemOf(socket);
    if (problem) {
      this.failUnwritten(new ConnectionFailure('TCP', problem));
      return;
    }
    const { body, shutdown } = this.sent;
    try {
      this.permission.use();
      if (!shutdown) this.limit();
      // We write bytes, because Node joins a text with the headers, which takes longer to write.
      this.request.end(body && Buffer.from(body));
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private read(answer: IncomingMessage): void {
    if (!this.permission.isUsed) {
      this.failUnwritten(new ConnectionFailure('TCP', 'the platform answered before it was asked'));
      return;
    }
    const bytes = new GrowingBuffer(this.sent.maxBytes, Number(answer.headers['content-length']));
    answer.on('data', (chunk: Buffer) => {
      if (!bytes.add(chunk)) this.fail(new AnswerTooLarge('its answer is larger than the limit'));
    });
    answer.on('error', (error) => this.fail(error));
    answer.on('end', () => {
      if (this.isOver) return;
      this.end();
      this.resolve({ answer, text: UTF8.decode(bytes.bytes) });
    });
  }

  private limit(): void {
    const { timeoutMs, shutdown } = this.sent;
    this.stop = untilDeadline(timeoutMs, shutdown, (isLate) =>
      this.fail(isLate ? new Error(`no answer in ${Math.round(timeoutMs)} ms`) : closing()),
    );
  }

  /** Nothing was written. When a kept connection cannot be used, we try the next one, because the failure says nothing of it. */
  private failUnwritten(error: ConnectionFailure): void {
    if (this.isOver) return;
    if (this.request.reusedSocket)
      this.resolve(exchange(this.connections, this.sent, this.permission));
    this.fail(error);
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.end();
    this.reject(error);
    this.request.destroy();
  }

  private end(): void {
    this.isOver = true;
    this.stop?.();
  }
}

/**
 * Calls as soon as this process knows what has arrived by now: an end of the connection, or an answer that nobody has asked for and that
 * would be taken for the answer to the create. It waits two turns, because the first may be in the middle of its look at the connections.
 */
function afterArrivals(call: () => void): void {
  setImmediate(setImmediate, call);
}

function closing(): Error {
  return new Error('the application closes');
}

const FIRST_BYTES = 4 * 1024;

/** Collects the chunks of an answer in one piece. However small they are, it takes at most twice its limit, and only while it grows. */
export class GrowingBuffer {
  private buffer: Buffer;
  private length = 0;

  /** @param expected how many bytes will come, as far as is known */
  constructor(
    private readonly limit: number,
    expected: number,
  ) {
    this.buffer = Buffer.allocUnsafe(Math.min(limit, expected || FIRST_BYTES));
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** Adds a chunk. False when the limit would be passed: then the chunk was not added. */
  add(chunk: Buffer): boolean {
    const length = this.length + chunk.length;
    if (length > this.limit) return false;
    if (length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.limit, Math.max(length, this.length * 2)));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    chunk.copy(this.buffer, this.length);
    this.length = length;
    return true;
  }
}
