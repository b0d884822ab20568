import { describe, expect, it } from '@jest/globals';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { assertShown, keyOf, newKey, sealOf } from './confirmation.dto.js';

function visitWith(fields: Readonly<Record<string, string>>): Visit {
  return { field: (name: string) => fields[name] || undefined } as Visit;
}

describe('The key of a form', () => {
  it('differs each time that the form is shown', () => {
    expect(newKey()).not.toBe(newKey());
    const key = newKey();
    expect(keyOf(visitWith({ key }))).toBe(key);
  });

  it.each([
    ['is empty', ''],
    ['is that of a host', 'order-1042'],
    ['is only the beginning of one', 'dashboard-'],
    ['has a character too many', `${newKey()}x`],
    ['has 300 characters', 'x'.repeat(300)],
  ])('is refused when it %s', (_, key) => {
    expect(() => keyOf(visitWith({ key }))).toThrow(PageError);
  });
});

describe('The seal of a form', () => {
  it('accepts what was shown, and nothing else', () => {
    const seal = sealOf(['key', 'KES 100.00', { payment: '1' }]);
    assertShown(visitWith({ seal }), ['key', 'KES 100.00', { payment: '1' }]);
    for (const changed of [
      ['key', 'KES 1,000.00', { payment: '1' }],
      ['key', 'KES 100.00', { payment: '2' }],
      ['other', 'KES 100.00', { payment: '1' }],
      ['key', 'KES 100.00'],
    ])
      expect(() => assertShown(visitWith({ seal }), changed)).toThrow(PageError);
    expect(() => assertShown(visitWith({}), [])).toThrow(PageError);
  });

  it('tells apart values whose texts join to the same', () => {
    expect(sealOf(['a', 'bc'])).not.toBe(sealOf(['ab', 'c']));
  });
});
