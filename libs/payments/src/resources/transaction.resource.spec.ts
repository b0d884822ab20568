import { describe, expect, it } from '@jest/globals';
import { aTransaction } from '../testing/ledger.fixture.js';
import { isReferenceOnly, referenceOnly } from './transaction.resource.js';

describe('A transaction of which only reference, till and amount are known', () => {
  it('is one that the platform has never shown', () => {
    const amount = { currency: 'KES', value: '100.00' };
    expect(isReferenceOnly(referenceOnly(amount, '514459', 'ONE'))).toBe(true);
  });

  it.each([
    ['its id', aTransaction({ type: null })],
    ['its type', aTransaction({ id: null })],
    ['both', aTransaction()],
  ])('is none of which the platform has shown %s', (_, transaction) => {
    expect(isReferenceOnly(transaction)).toBe(false);
  });
});
