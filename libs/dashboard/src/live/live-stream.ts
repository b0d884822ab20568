import type { ServerResponse } from 'node:http';
import { PAGE_HEADERS } from '@tillkit/pages';
import { rawResponse } from '../web/raw-response.js';

/** Proxies close a connection on which nothing comes, many of them after 30 or 60 s. */
const HEARTBEAT_MS = 15_000;

/** A stream ends after this time. The browser opens another one, so that the guards see its operator again. */
const LONGEST_MS = 5 * 60_000;

/** The stream of a viewer that stops reading ends at this number of unread bytes. */
const MOST_UNREAD = 64 * 1024;

const HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Without `no-transform`, compression in the host would hold back each message.
  'Cache-Control': 'no-store, no-transform',
  // nginx would buffer the response.
  'X-Accel-Buffering': 'no',
};

interface FastifyReply {
  hijack(): void;
}

/** Answers a HEAD request for a stream, which ends at once. */
export function sendHead(response: object): void {
  rawOf(response).writeHead(200, HEADERS).end();
}

/**
 * An open response of server-sent events. It writes to the raw response, because no adapter of Nest can keep a response open for a handler.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export class LiveStream {
  private readonly response: ServerResponse;
  private readonly timers: NodeJS.Timeout[];

  /** @param ended is called once, when the browser has left or the stream has ended */
  constructor(response: object, ended: () => void) {
    this.response = rawOf(response);
    // The connection ends with the stream, so that it does not delay the shutdown of the server.
    this.response.shouldKeepAlive = false;
    this.timers = [
      setInterval(() => this.write(': still here\n\n'), HEARTBEAT_MS),
      setTimeout(() => this.end(), LONGEST_MS),
    ];
    for (const timer of this.timers) timer.unref();
    const close = (): void => {
      this.stopTimers();
      ended();
    };
    // The browser may have left while its account was loaded.
    if (this.response.closed) queueMicrotask(close);
    else this.response.once('close', close);
    // A browser that left while we write is no error of ours.
    this.response.on('error', () => this.response.destroy());
    this.response.writeHead(200, HEADERS);
    this.write(': open\n\n');
  }

  send(message: object): void {
    this.write(`data: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    this.stopTimers();
    this.response.end();
  }

  private write(text: string): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    if (this.response.writableLength > MOST_UNREAD) this.response.destroy();
    else this.response.write(text);
  }

  private stopTimers(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }
}

function rawOf(response: object): ServerResponse {
  if ('hijack' in response) (response as FastifyReply).hijack();
  return rawResponse(response);
}
