import { describe, expect, it } from '@jest/globals';
import { formatAmount, formatPhone, formatTime, maskPhone } from './formats.js';

describe('formatAmount', () => {
  it('shows an amount with its currency and the decimals of the currency', () => {
    expect(formatAmount({ currency: 'KES', value: '1250.0' })).toBe('KES 1,250.00');
    expect(formatAmount({ currency: 'UGX', value: '1250' })).toBe('UGX 1,250');
  });
});

describe('Phone numbers', () => {
  it('are shown in groups of three digits to their owner', () => {
    expect(formatPhone('+254700000001')).toBe('+254 700 000 001');
    expect(formatPhone('+15550100')).toBe('+15550100');
  });

  it('are masked for everybody else', () => {
    expect(maskPhone('+254700000001')).toBe('+254 7•• ••• 001');
    expect(maskPhone('+15550100001')).toBe('+1555••••001');
    expect(maskPhone('12345')).toBe('•••');
  });
});

describe('formatTime', () => {
  it('shows the time of Nairobi', () => {
    expect(formatTime('2026-11-21T22:30:00Z')).toBe('22 Nov 2026, 01:30');
  });

  it('returns an invalid time unchanged', () => {
    expect(formatTime('yesterday')).toBe('yesterday');
  });
});
