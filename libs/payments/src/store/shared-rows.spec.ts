import { describe, expect, it } from '@jest/globals';
import { phoneHash } from '../money/phone-number.js';
import { bodyWithoutCustomer, isShared, partsOf, withoutCustomer } from './shared-rows.js';

const JANE = { digits: '254700000001', hash: phoneHash('254700000001') };
const JOHN = { digits: '254700000002', hash: phoneHash('254700000002') };

const part = (phone: string, name: string) => ({ phone, name, amount: '10', errors: [name] });
const jane = part('+254700000001', 'Jane');
const john = part('254700000002', 'John');
const WAGES = { id: 'wages', total: '20', list: [jane, john] };

describe('A row about several persons', () => {
  it('is one with a list in which others stand beside the customer', () => {
    expect(isShared(WAGES, JANE)).toBe(true);
    expect(isShared({ data: { deep: [WAGES] } }, JANE)).toBe(true);
    for (const alone of [
      { list: [jane] },
      { list: [jane, null] },
      { list: [jane, 'text', 7] },
      { list: [john] },
      { phone: jane.phone, errors: ['one', 'two'] },
      null,
      'text +254700000001',
    ])
      expect(isShared(alone, JANE)).toBe(false);
  });

  it('shows the customer the parts with the own number or hash, and nothing of others', () => {
    expect(partsOf(WAGES, JANE)).toEqual([jane]);
    expect(partsOf(WAGES, JOHN)).toEqual([john]);
    expect(partsOf({ ...WAGES, own: [jane, null] }, JANE)).toEqual([jane, jane]);
    expect(partsOf({ list: [john, { seen: JANE.hash.toUpperCase() }] }, JANE)).toEqual([
      { seen: JANE.hash.toUpperCase() },
    ]);
    expect(partsOf({ ...WAGES, note: 'for 254700000001', by: 'the boss' }, JANE)).toEqual([
      jane,
      { note: 'for 254700000001' },
    ]);
  });

  it('shows only the part of the customer within a part that is about several persons', () => {
    const batches = [
      { batch: 1, list: [jane, john] },
      { batch: 2, list: [john] },
    ];
    expect(partsOf({ batches }, JANE)).toEqual([jane]);
    expect(withoutCustomer({ batches }, JANE)).toEqual({
      batches: [
        { batch: 1, list: [{ phone: null, name: null, amount: '10', errors: [] }, john] },
        { batch: 2, list: [john] },
      ],
    });
  });

  it('loses what is about the customer, and keeps amounts, states and the others', () => {
    const row = {
      ...WAGES,
      list: [{ ...jane, state: 'paid', transactionReference: 'TAB' }, john],
      meta: { '254700000001': 'Jane', payer: jane.phone, name: 'Jane', boss: { name: 'Ann' } },
    };
    const left = withoutCustomer(row, JANE);
    expect(left).toEqual({
      id: 'wages',
      total: '20',
      list: [
        {
          phone: null,
          name: null,
          amount: '10',
          errors: [],
          state: 'paid',
          transactionReference: 'TAB',
        },
        john,
      ],
      meta: { payer: null, name: null, boss: { name: 'Ann' } },
    });
    expect(withoutCustomer(left, JANE)).toEqual(left);
  });

  it('as the body of a delivery loses what is about the customer, and any other body is deleted as a whole', () => {
    const body = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
    expect(bodyWithoutCustomer(body(WAGES), JANE)?.toString()).toBe(
      JSON.stringify(withoutCustomer(WAGES, JANE)),
    );
    expect(bodyWithoutCustomer(body({ list: [jane] }), JANE)).toBeNull();
    expect(bodyWithoutCustomer(Buffer.from('+254700000001 {'), JANE)).toBeNull();
  });
});
