import { describe, expect, it } from '@jest/globals';
import { aTransaction } from '../testing/ledger.fixture.js';
import type { TransactionSum } from './transaction.js';
import {
  aliasFor,
  isAtOneOf,
  joinedFor,
  moneyKey,
  nameOf,
  ownerAmong,
  sumIndex,
  sumOf,
  sumsAt,
  tillsSeen,
} from './transaction-sameness.js';

const ALIASES = { K000123: '514459' };

const aSum = (...tills: string[]): TransactionSum => ({ tills }) as never;
const owned = (owner: Partial<TransactionSum>): TransactionSum =>
  ({ ...aSum('1'), paymentId: null, paymentLinkId: null, bareId: null, ...owner }) as never;

describe('The key of money', () => {
  it('is its reference and the till number as the platform wrote it', () => {
    const transaction = aTransaction({ reference: 'REF1', tillNumber: ' K000123 ' });
    expect(moneyKey(transaction)).toEqual({ reference: 'REF1', till: 'K000123' });
  });

  it.each([
    ['a till', { tillNumber: null }],
    ['a till with a number', { tillNumber: ' ' }],
    ['reference and id', { reference: null, id: null }],
  ])('is null without %s', (_, changes) => {
    expect(moneyKey(aTransaction(changes as never))).toBeNull();
  });

  it('has the id in place of a reference that is missing', () => {
    expect(nameOf({ reference: null, id: '7' } as never)).toBe('id:7');
    expect(nameOf({ reference: 'REF1', id: '7' } as never)).toBe('REF1');
    expect(nameOf({ reference: null, id: '' } as never)).toBeNull();
  });
});

describe('The sum of a transaction at a till', () => {
  const record = { sums: [aSum('1'), aSum('514459'), aSum('2', 'K000123')] };

  it('is the sum that lists the till number, before a sum that an alias joins to the number', () => {
    expect(sumIndex(record, 'K000123', ALIASES)).toBe(2);
    expect(sumIndex(record, '1', ALIASES)).toBe(0);
    expect(sumIndex({ sums: [aSum('K000123'), aSum('514459')] }, '514459', ALIASES)).toBe(1);
  });

  it('is the sum that an alias joins to the till number, before a sum at a number of the same operation', () => {
    const sums = [aSum('9'), aSum('K000123')];
    expect(sumIndex({ sums }, '514459', ALIASES, ['9'])).toBe(1);
    expect(sumIndex({ sums: [aSum('K000123'), aSum('9')] }, '514459', ALIASES, ['9'])).toBe(0);
  });

  it('is the sum at a number of the same operation when no sum has the till number', () => {
    expect(sumIndex(record, '8', {}, ['7', '2'])).toBe(2);
    expect(sumIndex(record, '8', {}, ['7', '1'])).toBe(0);
  });

  it('is missing at any other number, and without a record', () => {
    expect(sumIndex(record, '8', ALIASES)).toBe(-1);
    expect(sumIndex(record, '8', ALIASES, ['7'])).toBe(-1);
    expect(sumIndex(null, '1', ALIASES)).toBe(-1);
  });

  it('is read from the record', () => {
    const key = { reference: 'REF1', till: '514459' };
    expect(sumOf(record, key, {})).toBe(record.sums[1]);
    expect(sumOf(record, { ...key, till: '8' }, {})).toBeNull();
    expect(sumOf({ sums: [aSum('K000123')] }, key, ALIASES)).not.toBeNull();
    expect(sumOf(null, key, {})).toBeNull();
  });
});

describe('All sums at some till numbers', () => {
  const sums = [aSum('1'), aSum('3', 'K000123'), aSum('2')];

  it('are those that have one of the numbers, or a number that aliases join to one', () => {
    expect(sumsAt({ sums }, ['514459', '2'], ALIASES)).toEqual([sums[1], sums[2]]);
    expect(sumsAt({ sums }, ['514459', '2'], {})).toEqual([sums[2]]);
    expect(sumsAt(null, ['1'], ALIASES)).toEqual([]);
  });
});

describe('The owner of money', () => {
  it.each<[string, string, Partial<TransactionSum>]>([
    ['a payment', 'payment p', { paymentId: 'p' }],
    ['a payment link', 'payment link l', { paymentLinkId: 'l' }],
    ['a bare request', 'a request of your own, b', { bareId: 'b' }],
  ])('that is %s is named as "%s"', (_, name, owner) => {
    expect(ownerAmong([owned({}), owned(owner)], 'mine')).toBe(name);
  });

  it('is not named when it is the operation itself, or when there is none', () => {
    expect(ownerAmong([owned({ paymentId: 'mine' }), owned({})], 'mine')).toBeNull();
    expect(ownerAmong([], 'mine')).toBeNull();
  });
});

describe('The numbers of a till', () => {
  it('are all numbers of the operation when it has the given number', () => {
    expect(joinedFor({ tills: ['1', '2'] }, '2')).toEqual(['1', '2']);
    expect(joinedFor({ tills: ['1', '2'] }, '3')).toEqual(['3']);
  });

  it('are shared with other numbers when one number is in both', () => {
    expect(isAtOneOf({ tills: ['1', '2'] }, ['2', '3'])).toBe(true);
    expect(isAtOneOf({ tills: ['1', '2'] }, ['3'])).toBe(false);
    expect(isAtOneOf({ tills: [] }, ['3'])).toBe(false);
  });

  it('are stored once each, first the known numbers, then those that aliases join to the new number', () => {
    expect(tillsSeen(['1', '514459'], 'K000123', ALIASES)).toEqual(['1', '514459', 'K000123']);
    expect(tillsSeen([], '514459', ALIASES)).toEqual(['514459', 'K000123']);
  });

  it('are joined by an alias whose name begins with K', () => {
    expect(aliasFor('514459', 'K000123')).toBe('K000123=514459');
    expect(aliasFor('K000123', '514459')).toBe('K000123=514459');
    expect(aliasFor('K000123', 'K000124')).toBe('K000123=K000124');
    expect(aliasFor('1', '2')).toBe('1=2');
  });
});
