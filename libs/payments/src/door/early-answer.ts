import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/** How much of a refused body we read, so that a client that is still sending receives the answer. */
const MOST_DRAINED_BYTES = 64 * 1024;
const DRAINED_FOR_MS = 1_000;

/** An answer to a request whose body we don't want. */
export interface EarlyAnswer {
  status: number;
  type: string;
  text: string;
  retryAfterS?: number;
}

const isHttp2 = (request: IncomingMessage | Http2ServerRequest): request is Http2ServerRequest =>
  request.httpVersionMajor === 2;

/**
 * Answers a request before its body has arrived, and closes the connection. A close with unread bytes would reset the connection,
 * and the client might lose the answer; so the connection stays open until the client has sent its body or gone, for 1 s at most. At
 * most 64 kB are read meanwhile.
 */
export function answerAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, text, retryAfterS }: EarlyAnswer,
): void {
  const ignore = (): void => undefined;
  request.on('error', ignore);
  response.on('error', ignore);
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
    // HTTP/2 has no such header.
    ...(!isHttp2(request) && { Connection: 'close' }),
  });
  response.write(text);
  if (request.readableEnded) {
    response.end();
    return;
  }
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(() => {
    response.end();
    // Destroying a request of HTTP/2 leaves its stream open.
    if (isHttp2(request)) request.stream.close();
    else request.destroy();
  }, DRAINED_FOR_MS);
  let drained = 0;
  request.once('end', end).once('close', end);
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained >= MOST_DRAINED_BYTES) request.pause();
  });
  request.resume();
}
