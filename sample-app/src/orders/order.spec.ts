import { describe, expect, it } from '@jest/globals';
import { attemptKey, orderId, orderNumber, readAttemptKey } from './order.js';

describe('orderId', () => {
  const fields = ['ticket', 'coffee', 'Jane', '0700000001'] as const;

  it('is the same for the same form', () => {
    expect(orderId(...fields)).toBe(orderId(...fields));
  });

  it('is another one when any field is', () => {
    const ids = fields.map((field, index) => {
      const changed = [...fields] as [string, string, string, string];
      changed[index] = `${field}x`;
      return orderId(...changed);
    });
    expect(new Set([orderId(...fields), ...ids]).size).toBe(5);
    // Where one field ends and the next begins is part of it.
    expect(orderId('t', 'ab', 'c', 'p')).not.toBe(orderId('t', 'a', 'bc', 'p'));
  });
});

describe('attemptKey', () => {
  it('can be read again', () => {
    const id = orderId('t', 'g', 'n', 'p');
    expect(readAttemptKey(attemptKey(id, 12))).toEqual({ id, attempt: 12 });
    expect(orderNumber(id)).toMatch(/^[0-9A-F]{6}$/);
  });

  it.each([
    '',
    'order-1-1',
    `order-${'a'.repeat(32)}-0`,
    `order-${'a'.repeat(32)}-1-2`,
    'invoice-7',
  ])('is not read from "%s", a key of something else', (key) => {
    expect(readAttemptKey(key)).toBeNull();
  });
});
