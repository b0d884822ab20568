import type { Readable } from 'node:stream';
import { BodySegments } from './body-segments.js';

/** Memory of all bodies that have not arrived yet. */
const MOST_BYTES_AT_ONCE = 16 * 1024 * 1024;

/** Limits of one body. */
export interface BodyLimits {
  maxBytes: number;
  /** Milliseconds in which the whole body must arrive. */
  withinMs: number;
}

/** A body; or why it is refused; or null when the client has gone. */
export type ReadBody = { bytes: Buffer } | { refused: 'too_large' | 'slow' | 'busy' } | null;

/** A body that has not arrived yet. */
interface Incoming {
  held: number;
  refuse(refused: 'busy'): void;
}

/** Reads bodies of requests, each limited in size and time, and all together limited in memory. */
export class BodyReader {
  /** The oldest first. */
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
