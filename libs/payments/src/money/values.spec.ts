import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { identifierFromUrl, isIdentifier } from './values.js';
import { canonicalValue, isSameAmount, readAmountValue, toMinorUnits } from './money.js';
import { comparePhone } from './phone-number.js';
import { isSameTill, joinedTills, tillNumberProblem } from './till-number.js';
import { timeOrderedId } from '../runtime/clock.js';
import { readDarajaTimestamp, readTimestamp } from './timestamp.js';

describe('amounts', () => {
  it.each([
    [100, '100'],
    [100.5, '100.5'],
    ['313', '313'],
    [' 100.0 ', '100.0'],
    [123456789012.34, '123456789012.34'],
  ])('are read from %p', (wire, text) => {
    expect(readAmountValue(wire)).toBe(text);
  });

  it.each([1e21, 1e-7, -1, Number.NaN, 1234567890123456, '1e2', '-1', '', 'x', '1,000', null, {}])(
    'cannot be read from %p',
    (wire) => {
      expect(readAmountValue(wire)).toBeNull();
    },
  );

  it('are the same however they are written', () => {
    const kes = (value: string) => ({ currency: 'KES', value });
    expect(isSameAmount(kes('100'), kes('100.00'))).toBe(true);
    expect(isSameAmount(kes('100.0'), kes('0100'))).toBe(true);
    expect(isSameAmount(kes('100.001'), kes('100'))).toBe(false);
    expect(isSameAmount(kes('100.001'), kes('100.001'))).toBe(false);
    expect(isSameAmount(kes('100'), { currency: 'UGX', value: '100' })).toBe(false);
    expect(isSameAmount({ currency: 'XXY', value: '1' }, { currency: 'XXY', value: '1' })).toBe(
      false,
    );
  });

  it('have one canonical text for each number of minor units', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.constantFrom('KES', 'UGX', 'KWD'),
        (minor, currency) => {
          const digits = { KES: 2, UGX: 0, KWD: 3 }[currency] as number;
          const text = minor.toString().padStart(digits + 1, '0');
          const value = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
          expect(canonicalValue(value, currency)).toBe(value);
          expect(toMinorUnits(`${value}${digits > 0 ? '00' : ''}`, currency)).toBe(minor);
        },
      ),
    );
  });
});

describe('ids', () => {
  it.each([
    ['https://platform.example/api/v2/incoming_payments/abc-1', 'abc-1'],
    ['http://elsewhere.example/incoming_payments/abc_1/', 'abc_1'],
    ['/api/v2/incoming_payments/ABC', 'ABC'],
    ['https://platform.example/incoming_payments/abc?token=1#y', 'abc'],
  ])('are read from %s', (location, id) => {
    expect(identifierFromUrl(location, 'incoming_payments')).toBe(id);
  });

  it.each([
    'https://platform.example/',
    '',
    null,
    'https://platform.example/incoming_payments',
    'https://platform.example/incoming_payments/',
    'https://platform.example/api/v2/incoming_payments/..',
    'https://platform.example/api/v2/incoming_payments/%2e%2e',
    'https://platform.example/incoming_payments/a%2fb',
    'https://platform.example/incoming_payments/a b',
    'https://platform.example/polling/abc',
  ])('are not read from %p', (location) => {
    expect(identifierFromUrl(location, 'incoming_payments')).toBeNull();
  });

  it('never change a URL', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (isIdentifier(text)) expect(encodeURIComponent(text)).toBe(text);
      }),
    );
  });
});

describe('payers', () => {
  const known = '+254700000001';
  const hash = createHash('sha256').update('254700000001').digest('hex');

  it.each([
    ['the same', 'the phone number', { phoneNumber: known }, 'same'],
    ['the same', 'the phone number without its plus', { phoneNumber: '254700000001' }, 'same'],
    ['different', 'another phone number', { phoneNumber: '+254700000002' }, 'different'],
    ['the same', 'the hash of the phone number', { phoneNumber: null, hashedPhone: hash }, 'same'],
    ['different', 'another hash', { phoneNumber: null, hashedPhone: 'f'.repeat(64) }, 'different'],
    [
      'unreadable',
      'a text that is no hash',
      { phoneNumber: null, hashedPhone: 'no hash' },
      'unreadable',
    ],
    ['unreadable', 'a masked phone number', { phoneNumber: '+2547******01' }, 'unreadable'],
    ['unreadable', 'nothing', { phoneNumber: null }, 'unreadable'],
  ])('are %s when the platform shows %s', (_result, _shown, seen, result) => {
    expect(comparePhone(known, seen)).toBe(result);
  });
});

describe('times', () => {
  it.each(['2026-01-01T00:00:00Z', '2026-01-01T03:00:00+03:00', '2026-01-01T03:00:00.000+0300'])(
    'are read from %s',
    (text) => {
      expect(readTimestamp(text)?.toISOString()).toBe('2026-01-01T00:00:00.000Z');
    },
  );

  it.each(['2026-01-01T00:00:00', '2026-13-01T00:00:00Z', 'yesterday', 1, null])(
    'are not read from %j',
    (wire) => {
      expect(readTimestamp(wire)).toBeNull();
    },
  );

  it('in the Daraja format are read as Nairobi times', () => {
    expect(readDarajaTimestamp('20260101030000')?.toISOString()).toBe('2026-01-01T00:00:00.000Z');
    expect(readDarajaTimestamp('2026')).toBeNull();
  });
});

describe('tills', () => {
  const ALIASES = { K000123: '514459', K000124: '514459' };

  it('are the same till when an alias joins them in either direction', () => {
    expect(isSameTill(' K000123 ', ['514459'], ALIASES)).toBe(true);
    expect(isSameTill('514459', ['K000123'], ALIASES)).toBe(true);
    expect(isSameTill('K000124', ['K000123'], ALIASES)).toBe(true);
    expect(isSameTill('000123', ['514459'], ALIASES)).toBe(true);
    expect(isSameTill('K000123', ['514459'], {})).toBe(false);
    expect(isSameTill('constructor', ['514459'], {})).toBe(false);
  });

  it('stay the same till after the alias is removed, if they were recorded as one', () => {
    expect(isSameTill('K000123', joinedTills('514459', ALIASES), {})).toBe(true);
    expect(joinedTills(' K000123', ALIASES)).toEqual(['K000123', '514459', 'K000124']);
    expect(joinedTills('9', ALIASES)).toEqual(['9']);
  });
});

describe('our own ids', () => {
  it('are UUIDs that sort by time', () => {
    const ids = [1, 2, 1_000_000_000_000, 1_800_000_000_000].map((now) => timeOrderedId(now));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(Array.from({ length: 1_000 }, () => timeOrderedId(5))).size).toBe(1_000);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('A till number', () => {
  it.each([
    ['may be digits', '514459', null],
    ['may be K and digits', 'K000123', null],
    ['must not be a number', 514459, /^must be a text, not a number: write '514459' in quotes/],
    ['must have no blanks', '51 44 59', /^must be digits, or K and digits/],
    ['must not be null', null, /^must be digits/],
  ])('%s', (_, value, problem) => {
    const found = tillNumberProblem(value);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });
});
