import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { runs } from '../../../../test/support/thorough.js';
import { maskKey, maskPhones, maskThisPhone } from './phone-mask.js';

describe('A text from outside', () => {
  it.each([
    ['call +254700000001 now', 'call +••••••••••01 now'],
    ['call +254 700 000 001', 'call +••• ••• ••• •01'],
    ['"sender_phone_number":"+254700000001"', '"sender_phone_number":"+••••••••••01"'],
    ['"msisdn":254700000001,', '"msisdn":••••••••••01,'],
    ['0700000001', '••••••••01'],
    ['0700 000 001', '•••• ••• •01'],
    ['0700-000-001', '••••-•••-•01'],
    ['0700      000 \t  001', '•••• ••• •01'],
    ['phone=%2B254700000001', 'phone=%••••••••••••01'],
    ['"\\u002b254700000001"', '"\\u••••••••••••••01"'],
  ])('loses its phone number: %s', (words, masked) => {
    const shown = maskPhones(words);
    expect(shown).not.toMatch(/700\s*000\s*001|700000001|700-000-001/);
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
    'refund-cac95329-9fa5-42f1-a4fc-c08af7b868fb',
  ])('keeps digits that are not a phone number: %s', (words) => {
    expect(maskPhones(words)).toBe(words);
  });

  it('keeps 128 hexadecimal digits, which are too many for a hash of a phone number', () => {
    const digits = 'b'.repeat(128);
    expect(maskPhones(digits)).toBe(digits);
  });

  it('loses the known phone number in every form of an idempotency key', () => {
    for (const key of ['order-254700000001-1', 'k0700000001', 'x700000001x']) {
      expect(maskThisPhone(key, '+254700000001')).not.toContain('700000001');
    }
    expect(maskThisPhone('k7     00 000     001', '+254700000001')).not.toMatch(/7\s*00/);
    expect(maskThisPhone('order-17', '+254700000001')).toBe('order-17');
    expect(maskThisPhone('order-17', '')).toBe('order-17');
  });

  it('loses the known phone number with any three separators between its digits', () => {
    const separators = fc.constantFrom(
      ' ',
      '-',
      '.',
      '(',
      ')',
      '/',
      '\u00a0',
      '\u200b',
      '\u2011',
      '%20',
      '%2520',
      '%25',
      '%2D',
      '\\t',
      '\\u0020',
      '\\\\u00a0',
      '%C2%A0',
    );
    const gap = fc.array(separators, { maxLength: 3 }).map((pieces) => pieces.join(''));
    const others = fc.constantFrom('', 'order-', '254', '7', '%25', 'x', '20', '-', '+');
    fc.assert(
      fc.property(
        fc.integer({ min: 200_000_000, max: 799_999_999 }).map(String),
        fc.boolean(),
        fc.array(gap, { minLength: 11, maxLength: 11 }),
        others,
        others,
        (number, hasCode, gaps, before, after) => {
          const all = hasCode ? `254${number}` : number;
          const written = [...all].map((digit, at) => digit + (gaps[at] ?? '')).join('');
          const key = before + written + after;
          const shown = maskThisPhone(key, `+254${number}`);
          // Two digits stay, and those of escapes in front of them are hidden too.
          expect(shown).toHaveLength(key.length);
          expect(shown.match(/•/g)?.length ?? 0).toBeGreaterThanOrEqual(7);
          expect(maskThisPhone(shown, `+254${number}`)).toBe(shown);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('loses the known phone number in the digits of any script, also mixed and with separators', () => {
    const zeros = fc.constantFrom('0', '\u0660', '\u06f0', '\u0966', '\uff10', '\u{1d7ce}');
    const gap = fc.constantFrom('', ' ', '-', '%20');
    fc.assert(
      fc.property(
        fc.integer({ min: 200_000_000, max: 799_999_999 }).map(String),
        fc.array(fc.tuple(zeros, gap), { minLength: 9, maxLength: 9 }),
        (number, styles) => {
          const written = [...number].map((digit, at) => {
            const [zero, after] = styles[at]!;
            return String.fromCodePoint(zero.codePointAt(0)! + Number(digit)) + after;
          });
          const shown = maskThisPhone(`order-${written.join('')}`, `+254${number}`);
          expect(shown.match(/•/g)?.length ?? 0).toBeGreaterThanOrEqual(7);
        },
      ),
    );
  });

  it('keeps digits of a key that are not the known phone number', () => {
    for (const key of ['order 254 700 000 002', '700-000----001', '70000000', '700+000+001'])
      expect(maskThisPhone(key, '+254700000001')).toBe(key);
  });

  it('loses every number in an idempotency key, also when the number of its customer is not known', () => {
    for (const phone of ['+254700000001', '+254733444555', '', null])
      expect(maskKey('till-0700000001-7', phone)).toMatch(/^till-[0•]•{7}01-7$/);
  });

  it('keeps every order id of 13 digits in an idempotency key, also beside the number of the customer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 12n, max: 10n ** 13n - 1n }), (id) => {
        for (const phone of ['+254700000001', '']) {
          fc.pre(maskThisPhone(`${id}`, phone) === `${id}`);
          expect(maskKey(`order-${id}`, phone)).toBe(`order-${id}`);
          expect(maskKey(`0700000001-${id}`, phone)).toMatch(new RegExp(`^[0•]•{7}01-${id}$`));
        }
      }),
    );
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
    ['before a point and a number that is no amount', (n: string) => `call ${n}.123`],
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
        fc.property(
          digits,
          fc.constantFrom('"', '', ' ', '_', 'code', 'facade'),
          (number, before) => {
            const hash = write(createHash('sha256').update(`254${number}`).digest());
            for (const shown of [
              maskPhones(`"MSISDN":${before}${hash}${before}`),
              maskThisPhone(`key:${before}${hash}`, `+254${number}`),
            ]) {
              for (let at = 0; at + 12 <= hash.length; at += 4)
                expect(shown).not.toContain(hash.slice(at, at + 12));
            }
          },
        ),
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

  it.each([
    ['after a line break', 'x\n0712345678'],
    ['after a tab', 'x\t254712345678 y'],
    ['after a line break that JSON escapes', String.raw`x\n0712345678`],
    ['without 0 after a line break that JSON escapes', String.raw`x\n712345678`],
    ['after a space in hexadecimal that JSON escapes', String.raw`\u0020254712345678`],
    ['after a plus that JSON escapes', String.raw`\u002b254712345678`],
    ['after a plus that JSON escapes twice', String.raw`\\u002b254712345678`],
    ['after a plus with percent', 'phone=%2B254712345678'],
    ['after a plus with percent, encoded twice', 'phone=%252B254712345678'],
    ['after a space with percent', 'phone=%20254712345678'],
    ['after a full percent', '100%0712345678'],
    ['between spaces with percent', '0712%20345%20678'],
    ['between no-break spaces with percent', '0712%C2%A0345%C2%A0678'],
    ['between no-break spaces that JSON escapes', String.raw`0712\u00a0345\u00a0678`],
    ['after a plus, in groups', '+254 712 345 678'],
    ['with hyphens', '0712-345-678'],
    ['after a word and an underscore', 'tel_0712345678'],
    ['before a letter', '0712345678x'],
    ['after a letter', 'a0712345678'],
    ['in groups of two', '0712 34 56 78'],
    ['in groups of three, two and four', '254 71 234 5678'],
    ['in groups of four', '2547 1234 5678'],
    ['in groups of five', '07123 45678'],
    ['in single digits', '0 7 1 2 3 4 5 6 7 8'],
    ['with slashes', '0712/345/678'],
    ['with underscores', '0712_345_678'],
    ['with commas', '254,712,345,678'],
    ['with middle dots', '+2547·1234·5678'],
    ['with no-break spaces', '0712\u00a0345\u00a0678'],
    ['with word joiners', '0712\u2060345\u2060678'],
    ['after another number', 'row 1 0712 345 678'],
    ['before another number', '0712 345 678 100'],
    ['in full-width digits', '０７１２３４５６７８'],
    ['in Arabic-Indic digits', '٠٧١٢٣٤٥٦٧٨'],
    ['in Arabic-Indic digits, after a plus', '+٢٥٤ ٧١٢ ٣٤٥ ٦٧٨'],
    ['of another country, after a plus', '+1 (202) 555-0101'],
    ['after the number of another country', '+15550100001, 0712455678'],
  ])('loses a phone number %s', (_, words) => {
    // Escapes contain digits too: 45 and 555 are in none of them.
    expect(maskPhones(words)).not.toMatch(/4.{0,6}5|4５|４５|٤٥|55/u);
  });

  it('loses a phone number in groups of any size, with any separator', () => {
    const separator = fc.constantFrom(
      ' ',
      '-',
      '.',
      '/',
      '_',
      ',',
      '·',
      '\u00a0',
      '\u200b',
      '\u2011',
    );
    const cuts = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(
        digits,
        fc.constantFrom('0', '254', '+254'),
        separator,
        cuts,
        (n, code, gap, cut) => {
          const written = `${code}${n}`.replace(/\d(?=\d)/g, (digit, at: number) =>
            cut[at % 12] ? digit + gap : digit,
          );
          expect(maskPhones(`call ${written}, now`).replace(/\D/g, '')).toBe(n.slice(-2));
        },
      ),
    );
  });

  it.each([
    'KES 1,234,567.00',
    'KES 1 234 567.00 and 12,345,678.50',
    '10 1234567.00',
    'from 2026-01-20 to 2026-02-20',
    '2026-01-20 22:45:12.790123456',
    '192.168.1.10 and 10.0.0.254',
    'QKL1234567890',
    'QKL123456789',
    'REF-987654321',
    'payment 6fa459ea-ee8a-3ca4-894e-123456789012 of KES 1234567.00',
  ])('keeps amounts, times, addresses and references: %s', (words) => {
    expect(maskPhones(words)).toBe(words);
  });

  it.each([
    ['digits', '7'],
    ['digits and spaces', '7 '],
    ['groups and hyphens', '254-'],
    ['hexadecimal and hyphens', '25471234-5678-'],
    ['commas', '1,'],
    ['pluses and digits', '+2'],
    ['escapes', '%2520'],
    ['backslashes', '\\'],
    ['spaces', ' '],
  ])('is masked to its end when it has 200 kB of %s', (_, piece) => {
    const long = piece.repeat(Math.ceil(200_000 / piece.length));
    expect(maskPhones(`${long}; call 0712345678`)).toMatch(/call ••••••••78$/);
  });
});
