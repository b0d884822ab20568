import { describe, expect, it } from '@jest/globals';
import { MemoryStore, SweepsService, type PaymentsOptions } from '@tillkit/payments';
import { anomaliesOf } from '../../support/anomalies.js';
import type { Merchant } from '../../support/merchant.js';
import { scripted } from '../../support/scripted.merchant.js';

describe('The answer to a sweep', () => {
  const { platform, open } = scripted();
  let merchant: Merchant;

  const listing = (...resources: object[]): void =>
    platform.lists(...resources.map((resource) => ({ type: 'Buygoods Transaction', resource })));
  // Returns a time later than the second in which the application started: older money emits no event.
  const justReceived = (): string => new Date(Date.now() + 60_000).toISOString();
  const money = (changes: object): object => ({
    reference: 'ONE',
    status: 'Received',
    amount: '100.0',
    currency: 'KES',
    till_number: '514459',
    origination_time: justReceived(),
    ...changes,
  });
  const swept = async (payments: PaymentsOptions = {}): Promise<MemoryStore> => {
    const store = new MemoryStore();
    const options = { store, reconciliation: { sweepEveryMs: 0 }, ...payments };
    merchant = await open(options, { speed: 5 });
    await merchant.app.get(SweepsService).sweep();
    return store;
  };

  it.each([
    ['an unknown status', { status: 'Settling' }, 'unknown transaction status Settling', 'ONE'],
    [
      'no status and no reference',
      { status: null, reference: null },
      'unknown transaction status null',
      '',
    ],
    [
      'neither reference nor id',
      { reference: null, id: null },
      'a listed transaction has no reference, id or till by which it could be recognised',
      'KES',
    ],
  ])('with %s is an anomaly and emits no event', async (_, changes, what, example) => {
    listing(money(changes));
    const store = await swept();
    expect(await anomaliesOf(store)).toMatchObject([{ what, example }]);
    expect((await store.transactions.list('default', {}, { limit: 10 })).items).toEqual([]);
  });

  it('with money that cannot be recognised emits no event for it, and delays no other money, also none whose time cannot be read', async () => {
    listing(
      money({ reference: null, id: null }),
      money({ reference: 'NO-TIME', origination_time: 'yesterday' }),
      money({ reference: 'TWO', status: 'Complete' }),
    );
    const store = await swept();
    const { items } = await store.transactions.list('default', {}, { limit: 10 });
    expect(new Set(items.map(({ reference }) => reference))).toEqual(new Set(['NO-TIME', 'TWO']));
    for (const expected of ['NO-TIME', 'TWO']) {
      await merchant.received.next(
        'till.transaction.received',
        ({ transaction: { reference } }) => reference === expected,
      );
    }
    expect(merchant.received.named('till.transaction.received')).toHaveLength(2);
  });

  it.each([
    ['Authorised', 'card_transaction_received', 'Card Transaction', 'till.transaction.received'],
    ['Annulled', 'card_transaction_voided', 'Card Transaction', 'till.transaction.reversed'],
    ['Paid', 'buygoods_transaction_received', 'Buygoods Transaction', 'till.transaction.received'],
    [
      'Undone',
      'b2b_transaction_reversed',
      'External Till to Till Transaction',
      'till.transaction.reversed',
    ],
  ] as const)(
    'with the status %s, which the host accepts for %s, is no anomaly when it lists a %s',
    async (status, topic, type, event) => {
      platform.lists({ type, resource: money({ status }) });
      const store = await swept({ deliveries: { acceptedStatuses: { [topic]: [status] } } });
      expect((await merchant.received.next(event)).transaction).toMatchObject({
        reference: 'ONE',
        status,
      });
      expect(await anomaliesOf(store)).toEqual([]);
    },
  );

  it('with a word that the host accepts for another kind of money is an anomaly', async () => {
    listing(money({ status: 'Authorised' }));
    const store = await swept({
      deliveries: { acceptedStatuses: { card_transaction_received: ['Authorised'] } },
    });
    expect(await anomaliesOf(store)).toMatchObject([
      { what: 'unknown transaction status Authorised', example: 'ONE' },
    ]);
  });
});
