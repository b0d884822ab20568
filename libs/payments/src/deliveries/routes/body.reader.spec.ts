import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyReader } from './body.reader.js';
import { BodySegments } from './body.segments.js';

const LIMITS = { maxBytes: 32 * 1024 * 1024, withinMs: 60_000 };

/** Streams that have sent a body in two chunks, and not its end. */
async function unfinished(reader: BodyReader, bytes: number): Promise<[PassThrough, unknown]> {
  const stream = new PassThrough({ highWaterMark: bytes });
  const read = reader.read(stream, LIMITS);
  stream.write(Buffer.alloc(bytes / 2));
  stream.write(Buffer.alloc(bytes / 2));
  await new Promise(setImmediate);
  return [stream, read];
}

describe('A body that is read', () => {
  it('is the same bytes, and takes at most twice their memory, however it is chunked', () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 5_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(chunks, (parts) => {
        const segments = new BodySegments();
        for (const part of parts) {
          segments.add(Buffer.from(part));
          expect(segments.held).toBeLessThanOrEqual(2 * segments.length + 1024);
        }
        expect(segments.concat()).toEqual(Buffer.concat(parts));
      }),
      { numRuns: 200 },
    );
  });

  it('takes at most twice its memory in chunks of one byte', () => {
    const segments = new BodySegments();
    for (let n = 0; n < 100_000; n += 1) segments.add(Buffer.of(n));
    expect(segments.held).toBeLessThanOrEqual(2 * segments.length);
  });

  it('is empty when the request has none', async () => {
    const stream = new PassThrough();
    stream.end();
    expect(await new BodyReader().read(stream, LIMITS)).toEqual({ bytes: Buffer.alloc(0) });
  });

  it('is null when its connection breaks', async () => {
    const stream = new PassThrough();
    const read = new BodyReader().read(stream, LIMITS);
    stream.destroy(new Error('reset'));
    expect(await read).toBeNull();
  });

  it('is refused as busy when others hold 32 MB, and accepted again when they have ended', async () => {
    const reader = new BodyReader();
    const half = 16 * 1024 * 1024;
    const [first, firstRead] = await unfinished(reader, half);
    const [second, secondRead] = await unfinished(reader, half);
    const [, third] = await unfinished(reader, 4096);
    expect(await third).toEqual({ refused: 'busy' });
    first.end();
    expect(await firstRead).toMatchObject({ bytes: { length: half } });
    const [last, lastRead] = await unfinished(reader, 4096);
    last.end();
    expect(await lastRead).toMatchObject({ bytes: { length: 4096 } });
    second.end();
    expect(await secondRead).toMatchObject({ bytes: { length: half } });
  });
});
