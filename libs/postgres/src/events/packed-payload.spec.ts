import { describe, expect, it } from '@jest/globals';
import { packPayload, unpackPayload } from './packed-payload.js';

const KEY = { id: 'e-1', account: 'shop' };

const TRANSACTION = {
  provenance: 'operation',
  id: '1-2',
  type: null,
  kind: null,
  amount: '100',
  currency: 'KES',
  status: 'Received',
  system: null,
  reference: 'CGD76Y0815',
  tillNumber: '514459',
  originationTime: null,
  senderFirstName: null,
  senderMiddleName: null,
  senderLastName: null,
  senderPhoneNumber: null,
  hashedSenderPhone: null,
  sendingTill: null,
  cardNumber: null,
  settled: null,
  raw: { id: '1-2', amount: '100', custom: 'x' },
};

function payloadOf(content: object): object {
  return {
    eventId: KEY.id,
    account: KEY.account,
    occurredAt: '2026-01-20T12:00:00.000Z',
    via: 'callback',
    ...content,
  };
}

describe('a packed payload', () => {
  it.each([
    ['without a transaction', payloadOf({ payment: { id: 'p', transaction: null } })],
    ['whose transaction is null', payloadOf({ transaction: null, payment: null })],
    [
      'whose payment has the same transaction',
      payloadOf({ payment: { id: 'p', transaction: TRANSACTION }, transaction: TRANSACTION }),
    ],
    [
      'whose payment has an equal transaction',
      payloadOf({
        payment: { id: 'p', transaction: structuredClone(TRANSACTION) },
        transaction: TRANSACTION,
      }),
    ],
    [
      'whose payment has another transaction',
      payloadOf({
        payment: { id: 'p', transaction: { ...TRANSACTION, reference: 'OTHER' } },
        transaction: TRANSACTION,
      }),
    ],
    [
      'of another event',
      { ...payloadOf({ transaction: TRANSACTION }), eventId: 'e-2', account: 'b' },
    ],
  ])('%s is the same when it is read', (_what, payload) => {
    const stored = JSON.parse(JSON.stringify(packPayload(payload, KEY))) as object;
    expect(unpackPayload(stored, KEY)).toStrictEqual(payload);
  });

  it('has the transaction once', () => {
    const payload = payloadOf({ payment: { transaction: TRANSACTION }, transaction: TRANSACTION });
    expect(JSON.stringify(packPayload(payload, KEY)).split('CGD76Y0815')).toHaveLength(2);
  });
});
