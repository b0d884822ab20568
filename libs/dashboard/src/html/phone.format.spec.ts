import { describe, expect, it } from '@jest/globals';
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
});
