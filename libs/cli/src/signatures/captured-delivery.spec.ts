import { describe, expect, it } from '@jest/globals';
import { pastedSignature, readCapturedDelivery } from './captured-delivery.js';

const read = (text: string) => {
  const captured = readCapturedDelivery(Buffer.from(text));
  return captured && { ...captured, body: captured.body.toString() };
};

describe('A captured delivery', () => {
  it.each([
    ['CR and LF', 'X-KopoKopo-Signature: abc\r\nHost: shop.example\r\n\r\n{"a":\n\n1}'],
    ['LF', 'host: shop.example\nx-kopokopo-signature:abc \n\n{"a":\n\n1}'],
    [
      'a request line',
      'POST /payments/webhooks HTTP/1.1\nX-KOPOKOPO-SIGNATURE: abc\n\n{"a":\n\n1}',
    ],
  ])('is read from a text with %s', (_, text) => {
    expect(read(text)).toEqual({ signature: 'abc', body: '{"a":\n\n1}' });
  });

  it('may have no signature', () => {
    expect(read('Host: shop.example\n\n{}')).toEqual({ signature: undefined, body: '{}' });
  });

  it.each([
    ['only has a body', '{"a":1}'],
    ['only has a body with an empty line', '{\n"a":\n\n1}'],
    ['is empty', ''],
    ['begins with a line that is no header', 'no header here\n\n{}'],
  ])('is not read from a text that %s', (_, text) => {
    expect(read(text)).toBeNull();
  });

  it('may have its signature pasted with the name of the header', () => {
    expect(pastedSignature(' X-KopoKopo-Signature: abc\n')).toBe('abc');
    expect(pastedSignature('abc')).toBe('abc');
  });
});
