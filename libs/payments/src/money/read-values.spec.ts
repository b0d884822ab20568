import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPayer } from '../platform/transaction.resource.js';
import { wireText } from '../platform/wire-value.js';
import { identifierFromUrl, isIdentifier } from './values.js';
import { readAmountValue, readCurrency } from './money.js';
import { isTillNumber, plainNumber } from './till-number.js';
import { readDarajaTimestamp, timestampOf } from './timestamp.js';

/** Returns a text of the platform with one to three slips of a keyboard or a program. */
function mutated(good: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const slip = fc.record({
    at: fc.nat(60),
    kind: fc.constantFrom('drop', 'insert', 'replace', 'swap', 'double'),
    sign: fc.constantFrom(...'0123456789.,+-: TZKkeE/()[]xX_\u00a0\u200b'),
  });
  return fc.tuple(good, fc.array(slip, { minLength: 0, maxLength: 3 })).map(([text, slips]) =>
    slips.reduce((now, { at, kind, sign }) => {
      const place = now.length === 0 ? 0 : at % now.length;
      const [before, here, after] = [now.slice(0, place), now.charAt(place), now.slice(place + 1)];
      switch (kind) {
        case 'drop':
          return before + after;
        case 'insert':
          return before + sign + here + after;
        case 'replace':
          return before + sign + after;
        case 'swap':
          return before + after.charAt(0) + here + after.slice(1);
        case 'double':
          return before + here + here + after;
      }
    }, text),
  );
}

/** Checks 100,000 texts. Each is read as what it says, or not at all. */
function check(texts: fc.Arbitrary<string>, isTrue: (text: string) => boolean): void {
  fc.assert(fc.property(mutated(texts), isTrue), { numRuns: 100_000 });
}

const two = (number: number): string => String(number).padStart(2, '0');

describe('A value of the platform', () => {
  it('is the same when it is read as an amount and written again, with or without commas between thousands', () => {
    const amounts = fc
      .tuple(
        fc.nat(99_999_999),
        fc.constantFrom('', '.0', '.00', '.5', '.25', '.250'),
        fc.boolean(),
      )
      .map(
        ([whole, fraction, grouped]) =>
          (grouped ? commas(String(whole)) : String(whole)) + fraction,
      );
    const isWritten = (currency: string) => (text: string) => {
      const value = readAmountValue(text, currency);
      if (value === null) return true;
      const [whole = '', fraction] = value.split('.');
      const rest = fraction === undefined ? '' : `.${fraction}`;
      return [whole + rest, commas(whole) + rest].includes(text.trim());
    };
    check(amounts, isWritten('KES'));
    check(amounts, isWritten('UGX'));
    check(amounts, isWritten('KWD'));
  });

  it.each([
    ['100,00', 'KES'],
    ['100,0', 'KES'],
    ['1.007,0', 'KES'],
    ['1,0000', 'KES'],
    ['1,007.000', 'KES'],
    ['1,007', 'KWD'],
    ['1,007.50', 'UGX'],
    ['0.1005e3', 'KES'],
    ['1E+2', 'KES'],
    ['10000,00', 'KES'],
    [',100', 'KES'],
    ['1,00', 'KES'],
    ['0,100', 'KES'],
    ['000,100.00', 'KES'],
  ])('is not read as the amount "%s" of %s', (text, currency) => {
    expect(readAmountValue(text, currency)).toBeNull();
  });

  it('is the same when it is read as a time and written again, and its day exists', () => {
    const zones = [
      'Z',
      'z',
      ' UTC',
      'GMT',
      '+03:00',
      '+0300',
      '+03',
      '-05:30',
      '+03:00[Africa/Nairobi]',
    ];
    const times = fc
      .record({
        at: fc.date({
          min: new Date('2010-01-01'),
          max: new Date('2099-01-01'),
          noInvalidDate: true,
        }),
        between: fc.constantFrom('T', ' ', 't'),
        fraction: fc.constantFrom('', '.5', '.123', '.123456'),
        zone: fc.constantFrom(...zones),
      })
      .map(({ at, between, fraction, zone }) => {
        const [day, time] = at.toISOString().slice(0, 19).split('T');
        return `${day}${between}${time}${fraction}${zone}`;
      });
    check(times, (text) => {
      const iso = timestampOf(text);
      if (iso === null) return true;
      const at = Date.parse(iso);
      const parts = /^(.{10}).(\d\d:\d\d(?::\d\d)?)/.exec(text.trim());
      if (/^[\d.]+$/.test(text.trim())) return Math.abs(at - epochMs(text.trim())) < 1;
      const [, sign = '+', hours = '0', minutes = '0'] =
        /([+-])(\d\d):?(\d\d)?(?:\[[^\]]*\])?$/.exec(text.trim()) ?? [];
      const offsetMs = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
      const local = new Date(at + offsetMs).toISOString();
      const isSame =
        `${parts?.[1]}T${parts?.[2]}` === local.slice(0, 11 + (parts?.[2]?.length ?? 0));
      return isSame && at >= Date.UTC(2010, 0, 1);
    });
  });

  it.each([
    '0001-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '0000-00-00T00:00:00Z',
    '2009-12-31T23:59:59Z',
    '2026-02-30T08:00:00+03:00',
    '2026-04-31T08:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T08:00:60Z',
    '2026-01-31T08:00:00+15:00',
    '2026-01-31T08:00:00 EAT',
    '2026-01-31T08:00:00[Africa/Nairobi]',
    '2026-01-31T08:00:00',
    '0',
    '17698464001',
  ])('is not read as the time %s', (text) => {
    expect(timestampOf(text)).toBeNull();
  });

  it.each([
    ['2026-01-31T05:00:00 UTC', '2026-01-31T05:00:00.000Z'],
    ['2026-01-31 05:00:00 GMT', '2026-01-31T05:00:00.000Z'],
    ['2026-01-31T08:00:00+03', '2026-01-31T05:00:00.000Z'],
    ['2026-01-31T08:00:00+03:00[Africa/Nairobi]', '2026-01-31T05:00:00.000Z'],
    ['1769835600', '2026-01-31T05:00:00.000Z'],
    [1769835600.25, '2026-01-31T05:00:00.250Z'],
    ['1769835600.123456', '2026-01-31T05:00:00.123Z'],
    ['1769835600123', '2026-01-31T05:00:00.123Z'],
  ])('is read as the time %s, which is %s', (wire, iso) => {
    expect(new Date(timestampOf(wire)!).toISOString()).toBe(iso);
  });

  it('is not read as a time after the latest that is possible, which may be Nairobi time that is marked as UTC', () => {
    const arrival = Date.parse('2026-01-31T05:00:00Z');
    const latest = arrival + 5 * 60_000;
    expect(timestampOf('2026-01-31T08:00:00Z', latest)).toBeNull();
    expect(timestampOf('2026-01-31T05:05:00Z', latest)).toBe('2026-01-31T05:05:00Z');
    expect(readDarajaTimestamp('20260131110000', latest)).toBeNull();
    expect(readDarajaTimestamp('20260131080000', latest)?.getTime()).toBe(arrival);
  });

  it('is the same when it is read as a time in the Daraja format and written again', () => {
    const times = fc
      .date({ min: new Date('2010-01-02'), max: new Date('2099-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString().slice(0, 19).replace(/\D/g, ''));
    check(times, (text) => {
      const at = readDarajaTimestamp(text);
      if (at === null) return true;
      const local = new Date(at.getTime() + 3 * 3_600_000);
      const written = [
        local.getUTCFullYear(),
        ...[
          local.getUTCMonth() + 1,
          local.getUTCDate(),
          local.getUTCHours(),
          local.getUTCMinutes(),
          local.getUTCSeconds(),
        ].map(two),
      ].join('');
      return written === text.trim();
    });
  });

  it('is the same when it is read as the phone number of a payer and written again', () => {
    const phones = fc
      .tuple(fc.nat(99_999_999), fc.constantFrom('+254 7', '2547', '+2547', '+254-7'))
      .map(([rest, beginning]) => beginning + String(rest).padStart(8, '0'));
    check(phones, (text) => {
      const { senderPhoneNumber } = readPayer(text, null);
      if (senderPhoneNumber === null) return true;
      return senderPhoneNumber === `+${text.replace(/\D/g, '')}` && /^\s*\+?[\d -]+\s*$/.test(text);
    });
    for (const text of ['+254(0)700000001', '+254 (0) 700 000 001', '0700000001', '+254.700000001'])
      expect(readPayer(text, null).senderPhoneNumber).toBeNull();
  });

  it('is the same when it is read as the hash of a payer and written again', () => {
    const hashes = fc.string({
      unit: fc.constantFrom(...'0123456789abcdef'),
      minLength: 64,
      maxLength: 64,
    });
    check(hashes, (text) => {
      const { hashedSenderPhone } = readPayer(null, text);
      return (
        hashedSenderPhone === null || (hashedSenderPhone === text && /^[0-9a-f]{64}$/i.test(text))
      );
    });
  });

  it('that is read as a till number is equal to another till number only with or without its K', () => {
    const tills = fc
      .tuple(fc.constantFrom('', 'K'), fc.nat(999_999))
      .map(([k, number]) => k + two(number));
    check(tills, (text) => {
      if (!isTillNumber(text)) return true;
      const plain = plainNumber(text);
      return [plain, `K${plain}`].includes(text);
    });
  });

  it('is the same when it is read as a currency and written again', () => {
    check(fc.constantFrom('KES', 'Ksh', 'ksh.', 'UGX', 'ush', 'TZS'), (text) => {
      const read = readCurrency(text);
      const names: Record<string, string> = {
        KSH: 'KES',
        KSHS: 'KES',
        USH: 'UGX',
        USHS: 'UGX',
        TSH: 'TZS',
        TSHS: 'TZS',
      };
      const plain = text.trim().toUpperCase().replace(/\.$/, '');
      return [names[plain] ?? plain, text.trim() || null].includes(read);
    });
  });

  it('is the same when it is read as an id and written again, alone or at the end of an address', () => {
    check(fc.uuid(), (text) => {
      const id = identifierFromUrl(`https://platform.example/api/v2/payments/${text}`, 'payments');
      return (
        (id === null || id === text.split(/[?#]/)[0]!.trim().replace(/\/$/, '')) &&
        (id === null || isIdentifier(id))
      );
    });
  });

  it('is not read from a number that JSON has changed', () => {
    expect(wireText(JSON.parse('12345678901234567890'))).toBeNull();
    expect(wireText(JSON.parse('1e400'))).toBeNull();
    expect(wireText(JSON.parse('514459'))).toBe('514459');
  });
});

/** Puts commas between groups of three digits, from the right. */
function commas(whole: string): string {
  return whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function epochMs(text: string): number {
  return text.split('.')[0]!.length === 13
    ? Math.floor(Number(text))
    : Math.floor(Number(text) * 1_000);
}
