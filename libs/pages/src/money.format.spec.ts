import { describe, expect, it } from '@jest/globals';
import { formatMoney } from './money.format.js';

describe('formatMoney', () => {
  it.each([
    ['90', 'KES', '90.00'],
    ['90.0', 'KES', '90.00'],
    ['90.00', 'KES', '90.00'],
    ['99.5', 'KES', '99.50'],
    ['1234567.5', 'KES', '1,234,567.50'],
    ['-1200.0', 'KES', '-1,200.00'],
    ['12345678901234567890.10', 'KES', '12,345,678,901,234,567,890.10'],
    ['1000.0', 'UGX', '1,000'],
    ['1.5', 'COP', '1.50'],
    ['1.5', 'HUF', '1.50'],
    ['1000', 'IDR', '1,000.00'],
    ['1000', 'PKR', '1,000.00'],
    ['1.5', 'KWD', '1.500'],
    ['1.5', 'CLF', '1.5000'],
    ['1.005', 'KES', '1.005'],
    ['1200.0', '', '1,200.0'],
    ['1200.0', '<b>', '1,200.0'],
    ['nothing', 'KES', 'nothing'],
    ['1e9', 'KES', '1e9'],
  ])('shows %s in %s as %s', (value, currency, shown) => {
    expect(formatMoney(value, currency)).toBe(shown);
  });
});
