import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BodyReader, BodySegments } from './raw-body.js';

const MEGABYTE = 1024 * 1024;
const LIMITS = { maxBytes: 12 * MEGABYTE, withinMs: 60_000 };

/** Returns a stream that has sent these chunks of a body, and not its end. */
async function unfinished(
  reader: BodyReader,
  ...chunks: number[]
): Promise<{ stream: PassThrough; read: Promise<unknown> }> {
  const stream = new PassThrough({ highWaterMark: LIMITS.maxBytes });
  const read = reader.read(stream, LIMITS);
  for (const bytes of chunks) stream.write(Buffer.alloc(bytes));
  await new Promise(setImmediate);
  return { stream, read };
}

describe('The body of a request', () => {
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

  it('is null when its connection has gone before', async () => {
    const stream = new PassThrough().destroy();
    await new Promise(setImmediate);
    expect(await new BodyReader().read(stream, LIMITS)).toBeNull();
  });

  it.each([
    ['one chunk', [8 * MEGABYTE]],
    ['several chunks', [4 * MEGABYTE, 2 * MEGABYTE, 2 * MEGABYTE]],
  ])(
    'of a client that does not finish it gives way to newer ones, sent in %s',
    async (_, chunks) => {
      const reader = new BodyReader();
      const oldest = await unfinished(reader, ...chunks);
      const second = await unfinished(reader, ...chunks);
      const newest = await unfinished(reader, 2048, 2048);
      expect(await oldest.read).toEqual({ refused: 'busy' });
      for (const { stream } of [second, newest]) stream.end();
      expect(await newest.read).toMatchObject({ bytes: { length: 4096 } });
      expect(await second.read).toMatchObject({ bytes: { length: 8 * MEGABYTE } });
    },
  );

  it('counts once for the limit of memory, however its connection ends', async () => {
    const reader = new BodyReader();
    for (let n = 0; n < 100; n += 1) {
      const { stream, read } = await unfinished(reader, LIMITS.maxBytes, 1);
      expect(await read).toEqual({ refused: 'too_large' });
      stream.destroy(new Error('reset'));
      await new Promise(setImmediate);
    }
    const held = await Promise.all(
      Array.from({ length: 3 }, () => unfinished(reader, 8 * MEGABYTE)),
    );
    expect(await held[0]?.read).toEqual({ refused: 'busy' });
    for (const { stream } of held) stream.destroy();
  });
});
