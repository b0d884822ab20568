import { describe, expect, it } from '@jest/globals';
import { phoneHash } from '../money/phone-number.js';
import { readPayer } from './transaction.resource.js';

describe('The phone number of a payer', () => {
  it.each(['+254700000001', '254700000001', '+254 700 000 001', '254-700-000001'])(
    'is in international form when the platform writes %s',
    (shown) => {
      expect(readPayer(shown, null).senderPhoneNumber).toBe('+254700000001');
    },
  );

  it.each([phoneHash('+254700000001'), '40404', '0700000001', '2547****0001', '', 'Jane'])(
    'is not made of %s',
    (shown) => {
      expect(readPayer(shown, null).senderPhoneNumber).toBeNull();
    },
  );
});
