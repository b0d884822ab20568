import { describe, expect, it } from '@jest/globals';
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { countryOf, toInternationalPhone } from './phone-number.js';

describe('a phone number', () => {
  it.each([
    '0700000001',
    '700000001',
    '254700000001',
    '+254 700 000 001',
    '0700 000 001',
    ' 0700-000-001 ',
    '00254700000001',
    '00 254 700 000 001',
    '\u202a+254700000001\u202c',
    '\u200e0700000001',
    '0700\u2011000\u2013001',
    '0700\u2212000\u2014001',
    '0700\u00a0000\u200b001\ufeff',
    '\uff0b254\u3000700\u3000000\u3000001',
  ])('is read as people in Kenya write it: "%s"', (text) => {
    expect(toInternationalPhone(text, 'KE')).toBe('+254700000001');
  });

  it('is read for the given country, even if the same text was just read for another country', () => {
    expect(toInternationalPhone('0700000001', 'KE')).toBe('+254700000001');
    expect(toInternationalPhone('0700000001', 'UG')).toBe('+256700000001');
    expect(toInternationalPhone('0700000001')).toBeNull();
    expect(toInternationalPhone('0700000001', 'KE')).toBe('+254700000001');
  });

  it.each(['', '+', '+254', '0700', 'phone', '+999700000001'])('is not read from "%s"', (text) => {
    expect(toInternationalPhone(text, 'KE')).toBeNull();
    expect(toInternationalPhone(text, 'KE')).toBeNull();
  });

  /** Several countries share a calling code: +1, +7, +44, +262, +358, +599. */
  it.each([
    '+254700000001',
    '+447911123456',
    '+447781123456',
    '+447797123456',
    '+12025550123',
    '+14165550123',
    '+77011234567',
    '+262692123456',
    '+262639123456',
    '+999700000001',
  ])('%s has the country that the library says, whatever was read before', (number) => {
    const country = parsePhoneNumberFromString(number)?.country ?? null;
    const befores = [
      () => toInternationalPhone('0700000001', 'KE'),
      () => toInternationalPhone(number),
      () => toInternationalPhone(number, 'GB'),
      () => toInternationalPhone(number.slice(1), 'US'),
      () => toInternationalPhone(number.replace('+', '0'), 'GB'),
    ];
    for (const before of befores) {
      before();
      expect(countryOf(number)).toBe(country);
    }
  });
});
