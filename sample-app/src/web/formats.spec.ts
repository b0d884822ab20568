import { describe, expect, it } from '@jest/globals';
import { formatAmount, formatPhone, formatTime, maskPhone } from './formats.js';

describe('formatAmount', () => {
  it.each([
    ['90', 'KES 90'],
    ['90.00', 'KES 90'],
    ['1250.00', 'KES 1,250'],
    ['1234567.5', 'KES 1,234,567.50'],
    ['0.05', 'KES 0.05'],
    ['12345678901234567890.10', 'KES 12,345,678,901,234,567,890.10'],
  ])('shows %s as %s', (value, shown) => {
    expect(formatAmount({ currency: 'KES', value })).toBe(shown);
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
