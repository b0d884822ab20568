import { describe, expect, it } from '@jest/globals';
import { GrowingBuffer } from './exchange.js';

describe('The bytes of an answer', () => {
  it.each([
    ['whose length is not known', Number.NaN],
    ['whose length was said', 10_000],
    ['whose length was said wrongly', 3],
  ])('%s are collected whole, whatever pieces they come in', (_, expected) => {
    const sent = Buffer.from(Array.from({ length: 10_000 }, (__, index) => index % 251));
    const bytes = new GrowingBuffer(10_000, expected);
    let at = 0;
    for (let length = 1; at < sent.length; length = (length * 7) % 97) {
      expect(bytes.add(sent.subarray(at, at + length))).toBe(true);
      at += length;
    }
    expect(bytes.bytes.equals(sent)).toBe(true);
  });

  it('end at their limit, and take no more memory than it when their length is said to be more', () => {
    const bytes = new GrowingBuffer(10, 1_000_000);
    expect(bytes.add(Buffer.alloc(10))).toBe(true);
    expect(bytes.add(Buffer.alloc(1))).toBe(false);
    expect(bytes.bytes).toHaveLength(10);
    expect(bytes.bytes.buffer.byteLength).toBeLessThan(100_000);
  });
});
