import { describe, expect, it } from '@jest/globals';
import { readableBody } from './delivery-body.format.js';

describe('The readable form of a body', () => {
  it('indents JSON', () => {
    expect(readableBody(Buffer.from('{ "a": [1,"b  c"] }'), true)).toBe(
      '{\n  "a": [\n    1,\n    "b  c"\n  ]\n}',
    );
  });

  it.each(['{"amount":100.0}', '{"n":12345678901234567890}', '{"a":1,"a":2}', '{"a":"\\u0041"}'])(
    'does not indent JSON when that would change a value: %s',
    (body) => {
      expect(readableBody(Buffer.from(body), true)).toBe(body);
    },
  );

  it('does not change text that is not JSON', () => {
    expect(readableBody(Buffer.from('topic=x'), true)).toBe('topic=x');
  });

  it('is a hex dump of limited length when the body is not text', () => {
    expect(readableBody(Buffer.from([255, 60, 7]), true)).toBe(
      `000000  ff 3c 07${' '.repeat(39)}  .<.`,
    );
    expect(readableBody(Buffer.alloc(1_000_000, 255), true).split('\n')).toHaveLength(256);
  });

  it('hides all bytes of a body that is not text, which may have a phone number', () => {
    const text = Buffer.from('{"MSISDN":"254700000001"}');
    const bytes = readableBody(Buffer.concat([text, Buffer.from([255])]), false);
    expect(bytes).toMatch(/^The body is not text/);
    expect(bytes).not.toMatch(/\d/);
  });
});
