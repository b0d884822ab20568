import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { TransportFailure } from './platform-failure.js';
import { untilDeadline } from './request-deadline.js';

/** What a request sends, and how long and large its answer may be. */
export interface Exchange {
  to: RequestOptions;
  body: string | undefined;
  /** Covers connect, wait and body. */
  timeoutMs: number;
  maxBytes: number;
  /** Ends it as well. */
  shutdown: AbortSignal | undefined;
}

const UTF8 = new TextDecoder();

/**
 * Sends one request and reads its whole answer. Follows no redirect, and uses no proxy of the environment, which would see what we ask and pay.
 * @throws TransportFailure at its deadline, when the application closes or the answer is too large; otherwise the error of Node
 */
export function exchange({
  to,
  body,
  timeoutMs,
  maxBytes,
  shutdown,
}: Exchange): Promise<{ answer: IncomingMessage; text: string }> {
  return new Promise((resolve, reject) => {
    if (shutdown?.aborted) throw closing();
    // Not an import of `request`: telemetry of the host replaces it in the module.
    const request = (to.protocol === 'https:' ? https : http).request(to, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) fail(new TransportFailure(TOO_LARGE, false, true));
        else chunks.push(chunk);
      });
      answer.on('error', fail);
      answer.on('end', () => {
        clear();
        resolve({ answer, text: UTF8.decode(Buffer.concat(chunks)) });
      });
    });
    const fail = (error: Error): void => {
      clear();
      reject(error);
      request.destroy();
    };
    const clear = untilDeadline(timeoutMs, shutdown, (isLate) =>
      fail(
        isLate
          ? new TransportFailure(`no answer in ${Math.round(timeoutMs)} ms`, false)
          : closing(),
      ),
    );
    request.on('error', fail);
    // Node joins a text with the headers, which takes longer to write.
    request.end(body && Buffer.from(body));
  });
}

const TOO_LARGE = 'its answer is larger than the limit';
const closing = (): TransportFailure => new TransportFailure('the application closes', false);
