import { describe, expect, it } from '@jest/globals';
import { formatPhone, maskedPhone, maskPhone } from './phone.format.js';

describe('A phone number', () => {
  it.each([
    ['+254700000001', '+254 7•• ••• •01'],
    ['254700000001', '+254 7•• ••• •01'],
    ['+256700000001', '+256 7•• ••• •01'],
    ['+12025550101', '+120 2•• ••• 01'],
    ['123', '•••'],
    ['', '•••'],
  ])('"%s" is masked as "%s"', (phone, masked) => {
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
