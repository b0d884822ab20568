import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { DeliveryHead, RawRouteMark } from './delivery-route.js';

/** The exact bytes of a request on one of our routes, or `consumed` when a parser of the host read them before us. */
export type RawBody = { bytes: Buffer } | { refused: 'consumed' };

const RAW_BODY = Symbol('tillkit:raw-body');

/** Keeps the bytes on the request. */
export function keepRawBody(request: object, body: RawBody): void {
  (request as { [RAW_BODY]?: RawBody })[RAW_BODY] = body;
}

/** Returns the bytes of a request of Express or Fastify; undefined when it did not come through our routes. */
export function rawBodyOf(request: object): RawBody | undefined {
  const original = (request as { raw?: object }).raw ?? request;
  return (original as { [RAW_BODY]?: RawBody })[RAW_BODY];
}

/** A request on one of our routes, before any parser of the host. */
export interface RawExchange {
  mark: RawRouteMark;
  params: DeliveryHead['params'];
  request: IncomingMessage;
  response: ServerResponse;
  /** The body. It is another stream than the request if a hook of the host has replaced it. */
  body: Readable;
}

/** Memory of all bodies that have not arrived yet. */
const MOST_BYTES_AT_ONCE = 16 * 1024 * 1024;

export interface BodyLimits {
  maxBytes: number;
  /** Milliseconds in which the whole body must arrive. */
  withinMs: number;
}

/** A body; or why it is refused; or null when the client has gone. */
type ReadBody = { bytes: Buffer } | { refused: 'too_large' | 'slow' | 'busy' } | null;

/** A body that has not arrived yet. */
interface Incoming {
  held: number;
  refuse(refused: 'busy'): void;
}

/** Reads bodies of requests, each limited in size and time, and all together limited in memory. */
export class BodyReader {
  /** The bodies that arrive now, the oldest first: they give up their memory in this order. */
  private readonly incoming = new Set<Incoming>();
  private held = 0;

  /** Reads a stream by its events, because an async iterator is much slower. Never throws. */
  read(stream: Readable, { maxBytes, withinMs }: BodyLimits): Promise<ReadBody> {
    // A connection that breaks, now or after the body, must not become an uncaught error.
    stream.on('error', ignore);
    if (stream.destroyed && !stream.readableEnded) return Promise.resolve(null);
    return new Promise((resolve) => {
      const segments = new BodySegments();
      // Most bodies are one chunk, which needs no copy.
      let only: Buffer | null = null;
      const end = (result: ReadBody): void => {
        clearTimeout(timer);
        stream.off('data', onData).off('end', onEnd).off('close', onGone);
        this.incoming.delete(body);
        this.held -= body.held;
        resolve(result);
      };
      const onData = (chunk: Buffer): void => {
        if ((only?.length ?? segments.length) + chunk.length > maxBytes) {
          end({ refused: 'too_large' });
          return;
        }
        if (!only && segments.length === 0) only = chunk;
        else {
          if (only) segments.add(only);
          only = null;
          segments.add(chunk);
        }
        this.hold(body, only?.length ?? segments.held);
      };
      const onEnd = (): void => end({ bytes: only ?? segments.concat() });
      const onGone = (): void => end(null);
      const timer = setTimeout(() => end({ refused: 'slow' }), withinMs);
      const body: Incoming = { held: 0, refuse: (refused) => end({ refused }) };
      this.incoming.add(body);
      stream.on('data', onData).once('end', onEnd).once('close', onGone);
    });
  }

  /**
   * Counts the memory of a body. When all bodies together hold too much, the oldest are refused: a delivery of the platform arrives
   * within milliseconds, so the oldest are those of clients that do not finish them.
   */
  private hold(body: Incoming, held: number): void {
    this.held += held - body.held;
    body.held = held;
    for (const oldest of this.incoming) {
      if (this.held <= MOST_BYTES_AT_ONCE) return;
      oldest.refuse('busy');
    }
  }
}

function ignore(): void {}

const SMALLEST = 1024;
const LARGEST = 16 * 1024;

/**
 * Collects the chunks of one body. It copies them together, because each chunk of one byte would cost some hundred bytes as an
 * object of its own. It holds at most twice the bytes of the body, or 1 kB.
 */
export class BodySegments {
  /** Bytes of the body so far. */
  length = 0;
  /** Bytes of memory that the segments hold. */
  held = 0;
  private readonly full: Buffer[] = [];
  private tail = Buffer.alloc(0);
  private used = 0;

  add(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.used === this.tail.length) this.grow(rest.length);
      const copied = rest.copy(this.tail, this.used);
      this.used += copied;
      this.length += copied;
      rest = rest.subarray(copied);
    }
  }

  concat(): Buffer {
    return Buffer.concat([...this.full, this.tail.subarray(0, this.used)], this.length);
  }

  private grow(needed: number): void {
    if (this.used > 0) this.full.push(this.tail);
    const bytes = Math.max(needed, SMALLEST, Math.min(this.length, LARGEST));
    // We do not use Node's pool, because a small segment would keep a whole pool in memory.
    this.tail = Buffer.allocUnsafeSlow(bytes);
    this.used = 0;
    this.held += bytes;
  }
}
