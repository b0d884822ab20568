import { describe, expect, it } from '@jest/globals';
import { maskPhone } from './phone-number.js';

describe('a phone number in a log', () => {
  it('shows its country and its last two digits', () => {
    expect(maskPhone('+254700000001')).toBe('+254*******01');
  });

  it.each(['', '1', '123456'])('shows nothing when it is as short as "%s"', (phone) => {
    expect(maskPhone(phone)).toBe('***');
  });
});
