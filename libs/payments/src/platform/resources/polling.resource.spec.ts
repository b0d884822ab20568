import { describe, expect, it } from '@jest/globals';
import { readEnvelope, type ResourceEnvelope } from '../wire-value.js';
import { readResource } from '../resource-table.js';
import { POLLING } from './polling.service.js';

const polling = (attributes: object): ResourceEnvelope =>
  readEnvelope({ data: { id: 'one', type: 'polling', attributes } }) as ResourceEnvelope;

describe('a polling result', () => {
  it.each([[undefined], [null], ['none'], [{}]])(
    'lists no transactions when they are %j',
    (transactions) => {
      expect(readResource(POLLING, polling({ transactions })).transactions).toEqual([]);
    },
  );

  it.each([
    ['Buygoods Transaction', 'buygoods'],
    ['External Till to Till Transaction', 'b2b'],
    ['External Till To Till Reversal Transaction', 'b2b'],
    ['Card Transaction', 'card'],
    ['Incoming Payment Request', null],
    [null, null],
  ])('says the kind of its money by the type %s', (type, kind) => {
    const transactions = [{ type, resource: { reference: 'ONE' } }];
    expect(readResource(POLLING, polling({ transactions })).transactions).toMatchObject([{ kind }]);
  });

  it('keeps no card number, also not as the platform sent it', () => {
    const resource = { reference: 'ONE', customer_cc_number: '4111111111111111' };
    const read = readResource(
      POLLING,
      polling({ transactions: [{ type: 'Card Transaction', resource }] }),
    );
    expect(read.transactions).toMatchObject([{ cardNumber: '1111' }]);
    expect(JSON.stringify(read)).not.toContain('41111111');
  });

  it('leaves out entries without a transaction, and keeps the others', () => {
    const transactions = [
      null,
      'text',
      { type: 'Buygoods Transaction' },
      { type: 'Buygoods Transaction', resource: { reference: 'ONE', amount: 100 } },
    ];
    expect(readResource(POLLING, polling({ transactions })).transactions).toMatchObject([
      { reference: 'ONE', amount: '100', type: 'Buygoods Transaction' },
    ]);
  });

  it.each([
    ['every item that is no transaction', [null, 'text', { type: 'Buygoods Transaction' }, {}], 4],
    ['nothing in an empty list', [], 0],
    ['one for a list that is no list', { reference: 'ONE' }, 1],
    ['one for a list that is missing', undefined, 1],
  ])('that is complete counts as unreadable %s', (_, transactions, unreadable) => {
    expect(readResource(POLLING, polling({ status: 'Success', transactions })).unreadable).toBe(
      unreadable,
    );
  });

  it('that is not complete may have no list yet', () => {
    expect(readResource(POLLING, polling({ status: 'Pending' })).unreadable).toBe(0);
  });
});
