import { afterEach, describe, expect, it } from '@jest/globals';
import {
  MemoryStore,
  PaymentInFlightError,
  SweepsService,
  type PaymentsOptions,
} from '@tillkit/payments';
import { Simulator, INSTANT_TIMINGS } from '@tillkit/simulator';
import { commitTo } from '../contracts/store-under-test.js';
import { anomaliesOf } from '../support/anomalies.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { RecordingProxy, type ProxiedRequest } from '../support/recording.proxy.js';
import { until } from '../support/until.js';

const MINUTE = 60_000;
const PAYER = '+254700000050';
const AMOUNT = { currency: 'KES', value: '1007.00' };

type Item = { type: string; resource: Record<string, unknown> };

// A create was processed, its answer and its callback were lost, and the customer paid. Only sweeps show the money.
describe('Money that a sweep finds', () => {
  let merchant: Merchant;
  let proxy: RecordingProxy;
  let simulator: Simulator;

  afterEach(async () => {
    await merchant.close();
    await Promise.all([proxy.close(), simulator.stop()]);
  });

  /** Opens an account whose sweeps began an hour ago. The platform lists transactions as `listed` says. */
  const open = async (
    listed: (items: Item[]) => unknown,
    sweepScope?: { scope: string; scopeReference: string },
  ): Promise<void> => {
    const store = new MemoryStore();
    await store.sweeps.progress('default', new Date(Date.now() - 60 * MINUTE));
    simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
    proxy = await RecordingProxy.open(simulator.url);
    proxy.alter = (path, body) => {
      if (!path.includes('/polling/')) return body;
      const answer = JSON.parse(body) as {
        data: { attributes: { transactions?: unknown; status: string } };
      };
      const { attributes } = answer.data;
      if (attributes.status !== 'Success') return body;
      const changed = listed(attributes.transactions as Item[]);
      if (changed === undefined) delete attributes.transactions;
      else attributes.transactions = changed;
      return JSON.stringify(answer);
    };
    merchant = await Merchant.open({
      shared: simulator,
      speed: 5,
      payments: {
        store,
        baseUrl: proxy.url,
        http: { createTimeoutMs: 20_000 },
        reconciliation: {
          scheduleMs: [20, 40, 60],
          intervalMs: 10,
          requestsPerSecond: 1_000,
          sweepEveryMs: 0,
          ...(sweepScope && { sweepScope }),
        },
      } as PaymentsOptions,
    });
  };

  /** Returns a payment of twenty minutes ago whose create got no answer, and the money that came for it. */
  const anUnknownPaidPayment = async (tillNumber = '514459'): Promise<string> => {
    merchant.simulator.faults.once('create-5xx-before-commit');
    const { id, state } = await merchant.payments.request(
      aRequestFrom(PAYER, { amount: AMOUNT, tillNumber }),
    );
    expect(state).toBe('unknown');
    await merchant.simulator.payTill({
      tillNumber,
      phoneNumber: PAYER,
      amount: 1007,
      originatedAt: Date.now() - 19 * MINUTE,
      silent: true,
    });
    const { version } = (await merchant.store.operations.find('default', id)) as {
      version: number;
    };
    await commitTo(merchant.store, {
      account: 'default',
      operation: {
        id,
        version,
        set: { sentAt: new Date(Date.now() - 20 * MINUTE) },
        dueInMs: 0,
      },
      events: [],
      history: [],
    });
    return id;
  };

  /** Waits until a sweep was read, and the payment waits for the next look at it. */
  const looksAgainLater = async (id: string): Promise<void> => {
    const isRead = ({ method, path }: ProxiedRequest): boolean =>
      method === 'GET' && path.includes('/polling/');
    await until(() => proxy.requests.some(isRead));
    await until(
      async () => Number(await merchant.store.operations.dueAt('default', id)) > Date.now(),
    );
  };

  const again = (): Promise<unknown> =>
    merchant.payments.request(aRequestFrom(PAYER, { amount: AMOUNT }));

  const anomalies = async (): Promise<string[]> =>
    (await anomaliesOf(merchant.store)).map(({ what }) => what);

  const as =
    (change: (resource: Record<string, unknown>) => Record<string, unknown>) =>
    (items: Item[]): Item[] =>
      items.map((item) => ({ ...item, resource: { ...item.resource, ...change(item.resource) } }));

  const timeOf = (resource: Record<string, unknown>): number =>
    Date.parse(resource['origination_time'] as string);

  /** Returns the time in Nairobi, without the offset. */
  const nairobi = (resource: Record<string, unknown>): string =>
    new Date(timeOf(resource) + 180 * MINUTE).toISOString().slice(0, 19);

  it.each<[string, (items: Item[]) => unknown]>([
    [
      'blanks in its time',
      as((r) => ({ origination_time: `${nairobi(r).replace('T', ' ')} +0300` })),
    ],
    ['its time in epoch seconds', as((r) => ({ origination_time: timeOf(r) / 1_000 }))],
    ['its time in epoch milliseconds', as((r) => ({ origination_time: String(timeOf(r)) }))],
    ['commas in its amount', as(() => ({ amount: '1,007.00' }))],
    ['the everyday name of its currency', as(() => ({ currency: 'Ksh' }))],
    ['a K before its till', as(() => ({ till_number: 'K514459' }))],
    ['its status in small letters', as(() => ({ status: 'received' }))],
    [
      'no resource around it',
      (items) => items.map(({ type, resource }) => ({ ...resource, type })),
    ],
  ])('is read with %s, and is the money of its payment', async (_, listed) => {
    await open(listed);
    const id = await anUnknownPaidPayment();
    const { payment, via } = await merchant.received.next('payment.succeeded');
    expect({ id: payment.id, via }).toEqual({ id, via: 'sweep' });
  });

  it.each<[string, string | null, (items: Item[]) => unknown]>([
    [
      'its time has no zone',
      'transaction with an unreadable origination_time',
      as((r) => ({ origination_time: nairobi(r) })),
    ],
    [
      'its time is null',
      'transaction with an unreadable origination_time',
      as(() => ({ origination_time: null })),
    ],
    [
      'it has no time',
      'transaction with an unreadable origination_time',
      as(() => ({ origination_time: undefined })),
    ],
    [
      'its amount may mean two amounts',
      'transaction with an unreadable amount',
      as(() => ({ amount: '1.007,0' })),
    ],
    [
      'its currency is none',
      'transaction with an unreadable currency',
      as(() => ({ currency: 'Shillings' })),
    ],
    ['its payer is a hash', null, as(() => ({ sender_phone_number: 'a'.repeat(64) }))],
    [
      'its status is an unknown word',
      'unknown transaction status Settled',
      as(() => ({ status: 'Settled' })),
    ],
    [
      'it has no till',
      'a listed transaction has no reference, id or till by which it could be recognised',
      as(() => ({ till_number: null })),
    ],
    [
      'nothing of it can be read',
      'item of a list of transactions that cannot be read',
      (items) => items.map(({ resource }) => String(resource['reference'])),
    ],
  ])(
    'keeps the guard of the payment that it could belong to when %s',
    async (_, anomaly, listed) => {
      await open(listed);
      const id = await anUnknownPaidPayment();
      const { payment, cause } = await merchant.received.next('payment.needs_review');
      expect({ id: payment.id, cause }).toEqual({ id, cause: 'ambiguous' });
      await expect(again()).rejects.toThrow(PaymentInFlightError);
      if (anomaly) expect(await anomalies()).toContain(anomaly);
    },
  );

  const time = (shown: (ms: number) => string | null): ((items: Item[]) => unknown) =>
    as((resource) => ({ origination_time: shown(timeOf(resource)) }));
  const iso = (ms: number): string => new Date(ms).toISOString();

  // A platform may show money late, wrongly or not at all. Nothing of that proves that the customer has not paid.
  it.each<[string, (items: Item[]) => unknown]>([
    ['its amount as 1007,0', as(() => ({ amount: '1007,0' }))],
    ['its amount as 1007,00', as(() => ({ amount: '1007,00' }))],
    ['its amount as 1.007,00', as(() => ({ amount: '1.007,00' }))],
    ['its time as the first of the year 1', time(() => '0001-01-01T00:00:00Z')],
    ['its time as 1970', time(() => '1970-01-01T00:00:00Z')],
    ['its time as zeros', time(() => '0000-00-00T00:00:00Z')],
    ['its time as 30 February', time(() => '2026-02-30T10:00:00+03:00')],
    ['the time of Nairobi marked as UTC', time((ms) => iso(ms + 180 * MINUTE))],
    ['UTC marked as the time of Nairobi', time((ms) => iso(ms).replace('Z', '+03:00'))],
    ['a time an hour late', time((ms) => iso(ms + 60 * MINUTE))],
    ['nothing of it', () => []],
    ['a broken item in its place', () => [{ type: 'Buygoods Transaction', resource: 7 }]],
    ['a broken item beside it', (items) => [...items, null]],
    ['its payer as somebody else', as(() => ({ sender_phone_number: '+254700000099' }))],
    ['its money as failed', as(() => ({ status: 'Failed' }))],
  ])(
    'that shows %s lets no second request through, before and after the review',
    async (_, listed) => {
      await open(listed);
      const id = await anUnknownPaidPayment();
      await expect(again()).rejects.toThrow(PaymentInFlightError);
      const { payment } = await merchant.received.next('payment.needs_review');
      expect(payment.id).toBe(id);
      await expect(again()).rejects.toMatchObject({ inTheWay: [{ id, state: 'needs_review' }] });
      expect(merchant.received.named('payment.succeeded')).toEqual([]);
      await merchant.payments.resolve(id, {
        state: 'failed',
        by: 'ops',
        note: 'not in the portal',
      });
      expect(await again()).toMatchObject({ state: 'pending' });
    },
  );

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a text', 'none'],
  ])('keeps the guard of its payment when the list is %s', async (_, transactions) => {
    await open(() => transactions);
    const id = await anUnknownPaidPayment();
    await looksAgainLater(id);
    await expect(again()).rejects.toThrow(PaymentInFlightError);
    expect(await merchant.payments.find(id)).toMatchObject({ state: 'unknown' });
    expect(await anomalies()).toContain('list of transactions that cannot be read');
  });

  it('of one till keeps the guards of the payments of other tills', async () => {
    await open((items) => items, { scope: 'till', scopeReference: '000123' });
    const id = await anUnknownPaidPayment();
    await looksAgainLater(id);
    await expect(again()).rejects.toThrow(PaymentInFlightError);
  });

  it('without a readable time and without a webhook causes its event', async () => {
    await open(as(() => ({ origination_time: null })));
    const { reference } = await merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: PAYER,
      amount: 5,
      originatedAt: Date.now() - 19 * MINUTE,
      silent: true,
    });
    await merchant.app.get(SweepsService).sweep();
    const { transaction } = await merchant.received.next('till.transaction.received');
    expect(transaction).toMatchObject({ reference, originationTime: null });
  });
});
