import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Refusal } from '../refusal.js';

/** The exact bytes of a request on our routes, or why we refuse it. */
export type RawBody =
  { bytes: Buffer } | { refused: Extract<Refusal, 'too_large' | 'encoded' | 'consumed'> };

/** A request of Express or Fastify. */
export interface RawRequest {
  headers: IncomingHttpHeaders;
  readableEnded: boolean;
  /** The bytes that the host kept, if it parsed the body before us. */
  rawBody?: unknown;
}

const RAW_BODY = Symbol('tillkit:raw-body');

/** Reads the bytes of a request, at most `maxBytes`, and stores them on the request. */
export async function captureRawBody(
  request: RawRequest,
  stream: Readable,
  maxBytes: number,
): Promise<void> {
  (request as { [RAW_BODY]?: RawBody })[RAW_BODY] = await readBytes(request, stream, maxBytes);
}

/** The stored bytes of a request; undefined when it did not come through our routes. */
export function rawBodyOf(request: object): RawBody | undefined {
  return (request as { [RAW_BODY]?: RawBody })[RAW_BODY];
}

async function readBytes(
  request: RawRequest,
  stream: Readable,
  maxBytes: number,
): Promise<RawBody> {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  // The host parsed before us (its own `app.use(express.json())`). We can use the bytes that it kept, but not the parsed body.
  if (Buffer.isBuffer(request.rawBody)) {
    if (encoding !== 'identity') return { refused: 'encoded' };
    return request.rawBody.length > maxBytes
      ? { refused: 'too_large' }
      : { bytes: request.rawBody };
  }
  if (request.readableEnded) return { refused: 'consumed' };
  const bytes = await readAll(stream, maxBytes);
  if (encoding !== 'identity') return { refused: 'encoded' };
  return bytes ? { bytes } : { refused: 'too_large' };
}

/** Reads a stream by its events, because an async iterator is much slower. Null when it has more than `maxBytes`. */
function readAll(stream: Readable, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // An oversized body is read to its end and discarded, so that the sender receives the answer.
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    stream.once('end', () => {
      const [first] = chunks;
      const whole = chunks.length === 1 && first ? first : Buffer.concat(chunks);
      resolve(size > maxBytes ? null : whole);
    });
    stream.once('error', reject);
    stream.once('close', () => {
      // Every request emits `close`. An `Error` is slow to create, so we create one only when it is needed.
      if (!stream.readableEnded)
        reject(new Error('the connection was closed before the body ended'));
    });
  });
}
