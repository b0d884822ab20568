import { describe, expect, it } from '@jest/globals';
import { toInternationalPhone } from './phone-number.js';

describe('a phone number', () => {
  it.each([
    '0700000001',
    '700000001',
    '254700000001',
    '+254 700 000 001',
    '0700 000 001',
    ' 0700-000-001 ',
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
});
