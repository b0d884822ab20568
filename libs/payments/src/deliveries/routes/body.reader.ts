import type { Readable } from 'node:stream';
import { BodySegments } from './body.segments.js';

/** Memory of all bodies that arrive in several chunks. More of them are refused: the platform sends its deliveries again. */
const MOST_BYTES_AT_ONCE = 32 * 1024 * 1024;

/** Limits of one body. */
export interface BodyLimits {
  maxBytes: number;
  /** Milliseconds in which the whole body must arrive. */
  withinMs: number;
}

/** A body; or why it is refused; or null when the client has gone. */
export type ReadBody = { bytes: Buffer } | { refused: 'too_large' | 'slow' | 'busy' } | null;

/** Reads bodies of requests, each limited in size and time, and all together limited in memory. */
export class BodyReader {
  private held = 0;

  /** Reads a stream by its events, because an async iterator is much slower. Never throws. */
  read(stream: Readable, { maxBytes, withinMs }: BodyLimits): Promise<ReadBody> {
    return new Promise((resolve) => {
      const segments = new BodySegments();
      // Most bodies are one chunk, which needs no copy.
      let only: Buffer | null = null;
      const end = (result: ReadBody): void => {
        clearTimeout(timer);
        stream.off('data', onData).off('end', onEnd).off('close', onGone);
        this.held -= segments.held;
        resolve(result);
      };
      const onData = (chunk: Buffer): void => {
        if ((only?.length ?? segments.length) + chunk.length > maxBytes) {
          end({ refused: 'too_large' });
          return;
        }
        if (!only && segments.length === 0) {
          only = chunk;
          return;
        }
        const before = segments.held;
        if (only) segments.add(only);
        only = null;
        segments.add(chunk);
        this.held += segments.held - before;
        if (this.held > MOST_BYTES_AT_ONCE) end({ refused: 'busy' });
      };
      const onEnd = (): void => end({ bytes: only ?? segments.concat() });
      const onGone = (): void => end(null);
      const timer = setTimeout(() => end({ refused: 'slow' }), withinMs);
      // Also after `end`: a connection that breaks later must not become an uncaught error.
      stream.on('error', onGone);
      stream.on('data', onData).once('end', onEnd).once('close', onGone);
    });
  }
}
