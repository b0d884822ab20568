import { describe, expect, it } from '@jest/globals';
import { readEnvelope, type ResourceEnvelope } from '../resource-envelope.js';
import { readPolling } from './polling.resource.js';

const polling = (attributes: object): ResourceEnvelope =>
  readEnvelope({ data: { id: 'one', type: 'polling', attributes } }) as ResourceEnvelope;

describe('a polling result', () => {
  it.each([[undefined], [null], ['none'], [{}]])(
    'lists no transactions when they are %j',
    (transactions) => {
      expect(readPolling(polling({ transactions })).transactions).toEqual([]);
    },
  );

  it('leaves out entries without a transaction, and keeps the others', () => {
    const transactions = [
      null,
      'text',
      { type: 'Buygoods Transaction' },
      { type: 'Buygoods Transaction', resource: { reference: 'ONE', amount: 100 } },
    ];
    expect(readPolling(polling({ transactions })).transactions).toMatchObject([
      { reference: 'ONE', amount: '100', type: 'Buygoods Transaction' },
    ]);
  });
});
