import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { PaymentsValidationError } from '../../payments.errors.js';
import { SendMoneyFields, validateSendMoney } from './create-send-money.dto.js';
import { toWireSendMoney, type CompleteSendMoney } from './send-money.service.js';

const WALLET = {
  type: 'mobile_wallet',
  phoneNumber: '+254700000001',
  network: 'Safaricom',
  amount: '1000.00',
  description: 'Wages',
};
const BANK = {
  type: 'bank_account',
  bankBranchRef: 'branch-1',
  accountName: 'Jane Doe',
  accountNumber: '0001',
  amount: '1000',
  description: 'Wages',
};
const TILL = { type: 'till', tillNumber: '000124', amount: '10', description: 'Stock' };
const PAYBILL = {
  type: 'paybill',
  paybillNumber: '111222',
  paybillAccountNumber: '2',
  amount: '10',
  description: 'Power',
};
const OWN_WALLET = { type: 'merchant_wallet', reference: 'wallet-1', amount: '10' };
const OWN_BANK = { type: 'merchant_bank_account', reference: 'bank-1', amount: '100' };

const to = (...destinations: unknown[]): object => ({ currency: 'KES', destinations });

const check = (input: unknown): SendMoneyFields =>
  validateSendMoney(SendMoneyFields, input, {
    defaultCountry: 'KE',
    baseUrl: 'https://api.kopokopo.com',
  });

function problemsOf(input: unknown): Record<string, string> {
  try {
    check(input);
  } catch (error) {
    if (!(error instanceof PaymentsValidationError)) throw error;
    return Object.fromEntries(error.problems.map(({ field, problem }) => [field, problem]));
  }
  return {};
}

describe('A request to send money', () => {
  it('may have every type of destination', () => {
    const all = [WALLET, BANK, TILL, PAYBILL, OWN_WALLET, OWN_BANK];
    expect(check(to(...all)).destinations).toEqual(all);
  });

  it.each(['0700000001', '700000001', '254700000001', '+254 700 000 001'])(
    'keeps the phone number %j in international form',
    (phoneNumber) => {
      expect(check(to({ ...WALLET, phoneNumber })).destinations).toEqual([WALLET]);
    },
  );

  it.each([
    ['no destinations', {}],
    ['an empty list of destinations', { destinations: [] }],
    ['null as destinations', { destinations: null }],
    ['destinations that are no list', { destinations: { 0: WALLET, length: 1 } }],
    ['sweepAllFunds: false', { sweepAllFunds: false }],
  ])('is refused with %s, and the error says that ALL funds would be sent', (_, fields) => {
    expect(problemsOf({ currency: 'KES', ...fields })['destinations']).toMatch(
      /would send ALL funds .* pass sweepAllFunds: true and no destinations$/,
    );
  });

  it.each([
    ['a destination', [WALLET]],
    ['an empty list of destinations', []],
    ['null as destinations', null],
  ])('is refused with sweepAllFunds beside %s', (_, destinations) => {
    expect(problemsOf({ currency: 'KES', sweepAllFunds: true, destinations })).toEqual({
      destinations: expect.stringContaining('must be left out, because sweepAllFunds is true'),
    });
  });

  it.each([false, null, 'true', 1])(
    'is refused with destinations beside %j as sweepAllFunds',
    (sweepAllFunds) => {
      expect(problemsOf({ ...to(WALLET), sweepAllFunds })).toEqual({
        sweepAllFunds: 'must be left out, or true to send ALL funds of the account',
      });
    },
  );

  it('of all funds has no destinations', () => {
    expect(check({ currency: 'KES', sweepAllFunds: true })).toEqual({
      currency: 'KES',
      sweepAllFunds: true,
    });
  });

  it('to accounts of the merchant may say what it is for', () => {
    const destinations = [OWN_WALLET, OWN_BANK].map((one) => ({ ...one, description: 'Savings' }));
    const checked = check(to(...destinations)) as CompleteSendMoney;
    expect(toWireSendMoney(checked).destinations).toEqual([
      { type: 'merchant_wallet', reference: 'wallet-1', amount: 10, description: 'Savings' },
      { type: 'merchant_bank_account', reference: 'bank-1', amount: 100, description: 'Savings' },
    ]);
    expect(problemsOf(to({ ...OWN_WALLET, description: '' }))).toHaveProperty([
      'destinations.0.description',
    ]);
  });

  it('that has a landline is refused by the index of the destination', () => {
    expect(problemsOf(to(TILL, { ...WALLET, phoneNumber: '+254202222222' }))).toEqual({
      'destinations.1.phoneNumber': expect.stringMatching(/^must be .*mobile/),
    });
  });

  it("that has a phone number of the platform's examples is accepted by its sandbox only", () => {
    const sample = to({ ...WALLET, phoneNumber: '+254999999999' });
    expect(problemsOf(sample)).toEqual({
      'destinations.0.phoneNumber': expect.stringMatching(/only the platform's sandbox takes it/),
    });
    const sandbox = { defaultCountry: undefined, baseUrl: 'https://sandbox.kopokopo.com' };
    expect(validateSendMoney(SendMoneyFields, sample, sandbox)).toMatchObject(sample);
  });

  it('that has a phone number of another country is refused', () => {
    expect(problemsOf(to({ ...WALLET, phoneNumber: '+256700000001' }))).toEqual({
      'destinations.0.phoneNumber':
        'is a number of UG; only mobile phones of KE can pay or receive KES',
    });
  });

  it.each([
    ['is a number', 1_000, /decimal string .* not a number/],
    ['is missing', undefined, /decimal string/],
    ['is 0', '0.00', /more than 0/],
    ['is negative', '-1', /plain decimal string/],
    ['has three decimals', '1.001', /more decimals than KES/],
    ['is not exact as a JSON number', '12345678901234.56', /15 significant digits/],
  ])('is refused when the amount of a destination %s', (_, amount, problem) => {
    expect(problemsOf(to(BANK, { ...TILL, amount }))).toEqual({
      'destinations.1.amount': expect.stringMatching(problem),
    });
  });

  it.each([
    ['null', null, 'destinations.0', 'must be an object'],
    ['a text', 'text', 'destinations.0', 'must be an object'],
    ['a list', [], 'destinations.0', 'must be an object'],
    ['an object without type', {}, 'destinations.0.type', /^must be one of mobile_wallet, bank_a/],
    [
      'an object of an unknown type',
      { ...TILL, type: 'crypto' },
      'destinations.0.type',
      /^must be one of/,
    ],
    [
      'an object of the type constructor',
      { type: 'constructor' },
      'destinations.0.type',
      /^must be one of/,
    ],
    [
      'an object with a field of another type',
      { ...TILL, phoneNumber: '+254700000001' },
      'destinations.0.phoneNumber',
      'is not a field of this request',
    ],
    [
      'an object with an unknown field',
      { ...OWN_WALLET, nickname: 'x' },
      'destinations.0.nickname',
      'is not a field of this request',
    ],
    [
      'an object without description',
      { ...TILL, description: undefined },
      'destinations.0.description',
      'must be a text that is not empty',
    ],
    [
      'an object with a till number that is a number',
      { ...TILL, tillNumber: 124 },
      'destinations.0.tillNumber',
      /not a number/,
    ],
  ])('is refused when a destination is %s', (_, destination, field, problem) => {
    expect(problemsOf(to(destination))).toEqual({
      [field]: typeof problem === 'string' ? problem : expect.stringMatching(problem),
    });
  });

  it('is refused with every wrong field in one error', () => {
    const input = { ...to({ ...WALLET, network: '' }, { ...TILL, amount: '0' }), currency: 'KSH' };
    expect(Object.keys(problemsOf(input)).toSorted()).toEqual([
      'currency',
      'destinations.0.network',
      'destinations.1.amount',
    ]);
  });
});

describe('The wire format of a request to send money', () => {
  const complete = { currency: 'KES', callbackUrl: 'https://shop.test/callback' };

  it.each([[undefined], [[]], [null]])(
    'is never made of a stored request with %j as destinations, which would send ALL funds',
    (destinations) => {
      const damaged = { ...complete, destinations } as CompleteSendMoney;
      expect(() => toWireSendMoney(damaged)).toThrow(/would send ALL funds/);
    },
  );
});
