import { describe, expect, it } from '@jest/globals';
import { readableBody } from './delivery.body.js';

describe('a body for people', () => {
  it('is laid out where it is JSON', () => {
    expect(readableBody(Buffer.from('{ "a": [1,"b  c"] }'))).toBe(
      '{\n  "a": [\n    1,\n    "b  c"\n  ]\n}',
    );
  });

  it.each(['{"amount":100.0}', '{"n":12345678901234567890}', '{"a":1,"a":2}', '{"a":"\\u0041"}'])(
    'stays as it came where laying it out would change it: %s',
    (body) => {
      expect(readableBody(Buffer.from(body))).toBe(body);
    },
  );

  it('stays as it came where it is no JSON', () => {
    expect(readableBody(Buffer.from('topic=x'))).toBe('topic=x');
  });

  it('is told byte by byte where it is no text, and not for ever', () => {
    expect(readableBody(Buffer.from([255, 60, 7]))).toBe(`000000  ff 3c 07${' '.repeat(39)}  .<.`);
    expect(readableBody(Buffer.alloc(1_000_000, 255)).split('\n')).toHaveLength(256);
  });
});
