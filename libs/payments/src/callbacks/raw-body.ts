import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** What arrived on a route of ours: the exact bytes, or why they were not taken. */
export type RawBody = { bytes: Buffer } | { refused: 'too_large' | 'encoded' | 'consumed' };

/** A request as both platforms have it. */
export interface RawRequest {
  headers: IncomingHttpHeaders;
  readableEnded: boolean;
  /** What the host kept, when it parsed before us. */
  rawBody?: unknown;
}

const RAW_BODY = Symbol('tillkit:raw-body');

/** Takes the bytes of a request and keeps them on it, `maxBytes` at most. */
export async function captureRawBody(
  request: RawRequest,
  stream: Readable,
  maxBytes: number,
): Promise<void> {
  (request as { [RAW_BODY]?: RawBody })[RAW_BODY] = await takeBytes(request, stream, maxBytes);
}

/** What was kept on a request; undefined when it never passed our routes. */
export function rawBodyOf(request: object): RawBody | undefined {
  return (request as { [RAW_BODY]?: RawBody })[RAW_BODY];
}

async function takeBytes(
  request: RawRequest,
  stream: Readable,
  maxBytes: number,
): Promise<RawBody> {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  // The host parsed before us (its own `app.use(express.json())`): bytes that it kept will do, what it made of them not.
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

/** By its events: an iterator costs more than all else that is done with a delivery. Null when there is more than allowed. */
function readAll(stream: Readable, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // What is too large is read to its end and thrown away, so that whoever sent it hears why.
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
      // Every request closes, and an error that nobody sees costs as much as all the rest.
      if (!stream.readableEnded)
        reject(new Error('the connection was closed before the body ended'));
    });
  });
}
