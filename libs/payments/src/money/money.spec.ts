import { describe, expect, it } from '@jest/globals';
import {
  amountProblem,
  canonicalValue,
  currencyProblem,
  isSameAmount,
  readAmountValue,
  toMinorUnits,
} from './money.js';
import { isOwnTill } from './till-number.js';

/** A JSON number carries 15 significant digits. */
const LONGEST = '123456789012345';

describe('An amount of money', () => {
  it('is read with up to 15 significant digits', () => {
    expect(readAmountValue(Number(LONGEST))).toBe(LONGEST);
    expect(readAmountValue(1234567890123.45)).toBe('1234567890123.45');
    expect(readAmountValue(Number(`${LONGEST}1`))).toBeNull();
  });

  it.each([LONGEST, '1234567890123.45', `00${LONGEST}`, '0.01'])(
    'such as %s can be requested',
    (value) => {
      expect(amountProblem(value, 'KES')).toBeNull();
    },
  );

  it.each([`${LONGEST}6`, '12345678901234.56'])('such as %s has too many digits', (value) => {
    expect(amountProblem(value, 'KES')).toMatch(/more than 15 significant digits/);
  });

  it('is not the same in another currency', () => {
    const value = '100.00';
    expect(isSameAmount({ currency: 'KES', value }, { currency: 'USD', value })).toBe(false);
    expect(isSameAmount({ currency: 'KES', value }, { currency: 'KES', value: '100' })).toBe(true);
  });

  it.each([
    ['1.001', 'KES'],
    ['ten', 'KES'],
    ['1', 'XYZ'],
  ])(
    'such as %s %s has no canonical text, because it cannot be counted in minor units',
    (value, currency) => {
      expect(canonicalValue(value, currency)).toBeNull();
    },
  );
});

describe('A currency', () => {
  it.each([['kes'], ['KESX'], ['XYZ'], [''], [404], [['KES']], [null]])('cannot be %j', (value) => {
    expect(currencyProblem(value)).toBe(
      'must be an ISO 4217 currency code in capitals, such as KES',
    );
  });

  it.each([
    ['UGX', '7', '0.7'],
    ['COP', '0.07', '0.007'],
    ['HUF', '0.07', '0.007'],
    ['LBP', '0.07', '0.007'],
    ['IQD', '0.007', '0.0007'],
    ['CLF', '0.0007', '0.00007'],
  ])('such as %s has the decimals of ISO 4217', (currency, smallest, tooSmall) => {
    expect(toMinorUnits(smallest, currency)).toBe(7n);
    expect(toMinorUnits(tooSmall, currency)).toBeNull();
  });
});

describe('Money at a till', () => {
  it('may concern an account that lists no tills, and any account when the platform names no till', () => {
    expect(isOwnTill({ tills: [], tillAliases: {} }, '1')).toBe(true);
    expect(isOwnTill({ tills: ['1'], tillAliases: {} }, null)).toBe(true);
    expect(isOwnTill({ tills: ['1'], tillAliases: {} }, '2')).toBe(false);
    expect(isOwnTill({ tills: ['1'], tillAliases: { K1: '1' } }, 'K1')).toBe(true);
  });
});
