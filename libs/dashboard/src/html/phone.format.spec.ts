import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { formatPhone, maskedPhone, maskPhone, maskPhones, maskThisPhone } from './phone.format.js';

describe('A phone number', () => {
  it.each([
    ['+254700000001', '+254 7•• ••• •01'],
    ['254700000001', '+254 7•• ••• •01'],
    ['+256700000001', '+256 7•• ••• •01'],
    ['+12025550101', '+120 2•• ••• 01'],
    ['123', '•••'],
    ['', '•••'],
  ])('%s is masked as %s', (phone, masked) => {
    expect(maskPhone(phone)).toBe(masked);
  });

  it('has a text for screen readers', () => {
    const said = maskedPhone('+254700000001').toString();
    expect(said).toContain('<span aria-hidden="true">+254 7•• ••• •01</span');
    expect(said).toContain('phone number ending in 0 1');
    expect(maskedPhone('').toString()).toContain('none kept');
    expect(maskedPhone(null).toString()).toContain('none kept');
  });

  it('is shown in groups of three digits after the operator asks for it', () => {
    expect(formatPhone('+254700000001')).toBe('+254 700 000 001');
  });
});

describe('A text from outside', () => {
  it.each([
    ['call +254700000001 now', 'call +••••••••••01 now'],
    ['call +254 700 000 001', 'call +••• ••• ••• •01'],
    ['"sender_phone_number":"+254700000001"', '"sender_phone_number":"+••••••••••01"'],
    ['"msisdn":254700000001,', '"msisdn":••••••••••01,'],
    ['0700000001', '••••••••01'],
    ['0700 000 001', '•••• ••• •01'],
    ['0700-000-001', '••••-•••-•01'],
    ['phone=%2B254700000001', 'phone=%••••••••••••01'],
    ['"\\u002b254700000001"', '"\\u••••••••••••••01"'],
  ])('loses its phone number: %s', (words, masked) => {
    const shown = maskPhones(words);
    expect(shown).not.toMatch(/700 ?000 ?001|700000001|700-000-001/);
    expect(shown.endsWith(masked.slice(-3))).toBe(true);
  });

  it.each([
    '2026-01-20T22:45:12.790Z',
    'cac95329-9fa5-42f1-a4fc-c08af7b868fb',
    '01a1fe03-c62b-7024-8322-012345678901',
    'till 514459, KES 1200.00',
    'order 1767225600123',
    'order_2026112212345',
    'at 20261122143000, amount 123456789.50',
    'trace 4bf92f3577b34da6a3ce929d0e0e4736',
    'OJM6Q1W84K',
  ])('keeps digits that are not a phone number: %s', (words) => {
    expect(maskPhones(words)).toBe(words);
  });

  it('loses the known phone number in every form of an idempotency key', () => {
    for (const key of ['order-254700000001-1', 'k0700000001', 'x700000001x']) {
      expect(maskThisPhone(key, '+254700000001')).not.toContain('700000001');
    }
    expect(maskThisPhone('order-17', '+254700000001')).toBe('order-17');
    expect(maskThisPhone('order-17', '')).toBe('order-17');
  });

  const digits = fc.integer({ min: 700_000_000, max: 799_999_999 }).map(String);
  const groups = (number: string, separator: string): string =>
    number.match(/.{3}/g)!.join(separator);

  it.each([
    ['at the end of a sentence', (n: string) => `She called +254${n}.`],
    ['without a plus at the end of a sentence', (n: string) => `She called 254${n}.`],
    ['without 0 at the end of a sentence', (n: string) => `Call ${n}, or ${n}.`],
    ['in groups, with the country code', (n: string) => `call 254 ${groups(n, ' ')} now`],
    ['in groups, without 0', (n: string) => `call ${groups(n, ' ')} now`],
    ['in groups with hyphens, without 0', (n: string) => `call ${groups(n, '-')}.`],
    ['in groups with long dashes', (n: string) => `call ${groups(n, '\u2013')}.`],
    ['with invisible characters', (n: string) => `+254\u200b${groups(n, '\u200b')}`],
    ['in groups with points', (n: string) => `call 254.${groups(n, '.')}.`],
    ['in two groups', (n: string) => `call 254 ${n} or 0${n.slice(0, 3)} ${n.slice(3)}`],
    ['with 0 in brackets', (n: string) => `call (0${n.slice(0, 3)}) ${groups(n.slice(3), ' ')}`],
    ['with 00', (n: string) => `call 00254${n} or 00254 ${groups(n, ' ')}`],
    ['after an underscore', (n: string) => `customer_254${n} and customer_${n}`],
    ['before an underscore', (n: string) => `254${n}_1 and 0${n}_1`],
    ['after and before a hyphen', (n: string) => `order-254${n}-1, order-${n}-1`],
    ['after a letter, with the country code', (n: string) => `Kamau254${n}x`],
    ['before a colon', (n: string) => `254${n}:5 and ${n}:5`],
    ['in JSON', (n: string) => JSON.stringify({ a: `+254${n}`, b: Number(n), c: `0${n}` })],
  ])('loses every phone number %s', (_, write) => {
    fc.assert(
      fc.property(digits, (number) => {
        const shown = maskPhones(write(number)).replace(/[\s().\u200b\u2013-]/g, '');
        expect(shown).not.toContain(number.slice(0, 7));
        expect(shown).not.toContain(number.slice(2, 9));
      }),
    );
  });

  it.each([
    ['hex', (hash: Buffer) => hash.toString('hex')],
    ['hex in upper case', (hash: Buffer) => hash.toString('hex').toUpperCase()],
    ['base64', (hash: Buffer) => hash.toString('base64')],
    ['base64 in a form', (hash: Buffer) => encodeURIComponent(hash.toString('base64'))],
    [
      'base64 with escaped slashes',
      (hash: Buffer) => hash.toString('base64').replace(/\//g, '\\/'),
    ],
  ])(
    'loses every hash of a phone number in %s, from which the number can be computed',
    (_, write) => {
      fc.assert(
        fc.property(digits, fc.constantFrom('"', '', ' ', '_'), (number, before) => {
          const hash = write(createHash('sha256').update(`254${number}`).digest());
          for (const shown of [
            maskPhones(`"MSISDN":${before}${hash}${before}`),
            maskThisPhone(`key:${hash}`, `+254${number}`),
          ]) {
            for (let at = 0; at + 12 <= hash.length; at += 4)
              expect(shown).not.toContain(hash.slice(at, at + 12));
          }
        }),
      );
    },
  );

  it('keeps every order id of 13 digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 12n, max: 10n ** 13n - 1n }), (id) => {
        expect(maskPhones(`order ${id}, order-${id}, "${id}".`)).toContain(`order-${id}, "${id}".`);
      }),
    );
  });

  it('loses the known phone number in groups in an idempotency key', () => {
    for (const key of ['order 254 700 000 001', 'order-700-000-001-1', 'x0700 000 001x']) {
      expect(maskThisPhone(key, '+254700000001').replace(/\D/g, '')).not.toContain('700000');
    }
  });
});
