import { ClientsModule } from '@nestjs/microservices';
import { afterEach, describe, expect, it } from '@jest/globals';
import { EventsService, MemoryStore, type PaymentsOptions } from '@tillkit/payments';
import {
  ForwardPaymentEvents,
  type ForwardPaymentEventsOptions,
} from '@tillkit/payments/microservices';
import { newEvent, commitTo } from '../../contracts/store-under-test.js';
import { confirmFailure } from '../../support/confirmed-failures.js';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { aPayout, aRequest, aRequestFrom, Merchant } from '../../support/merchant.js';
import { RecordingBus } from '../../support/recording.bus.js';
import { until } from '../../support/until.js';

const PHONE = '+254700000001';

// A listener call has nothing to do with HTTP: one platform is enough.
describe('Events on a bus', () => {
  let merchant: Merchant;

  const open = async (
    options: Partial<ForwardPaymentEventsOptions> = {},
    payments: PaymentsOptions = {},
  ): Promise<RecordingBus> => {
    merchant = await Merchant.open({
      imports: [
        // Registered in a module of its own, which the forwarder does not import.
        ClientsModule.register([{ name: 'BUS', customClass: RecordingBus }]),
        ForwardPaymentEvents.register({ client: 'BUS', ...options }),
      ],
      payments: { listeners: { retryScheduleMs: [5, 5] }, ...payments },
    });
    return merchant.app.get<RecordingBus>('BUS', { strict: false });
  };
  const deadLetters = async () => {
    const events = merchant.app.get(EventsService);
    await until(async () => (await events.deadLetters()).length > 0);
    return events.deadLetters();
  };

  afterEach(() => merchant.close());

  it('are CloudEvents 1.0, with the id of our event, its operation, and the time at which it occurred', async () => {
    const bus = await open();
    const { id } = await merchant.payments.request(aRequest());
    const succeeded = await merchant.received.next('payment.succeeded');
    const event = await bus.next('payment.succeeded');
    expect(bus.accepted.find((emitted) => emitted.event.id === event.id)?.pattern).toBe(
      'payment.succeeded',
    );
    expect(event).toEqual({
      specversion: '1.0',
      id: succeeded.eventId,
      source: 'urn:tillkit:account:default',
      type: 'com.tillkit.payment.succeeded',
      subject: id,
      time: succeeded.occurredAt,
      datacontenttype: 'application/json',
      data: expect.objectContaining({ eventId: succeeded.eventId, account: 'default' }),
    });
    const { payment, transaction } = event.data;
    expect([payment.id, payment.amount]).toEqual([id, { currency: 'KES', value: '100.00' }]);
    expect(payment.createdAt).toBe(succeeded.payment.createdAt.toISOString());
    expect(transaction.reference).toBe(succeeded.transaction.reference);
  });

  it('of every kind name their operation, or the reference of their transaction', async () => {
    const bus = await open();
    const failed = await merchant.payments.request(aRequestFrom('+254700000004'));
    // The till is empty.
    const payout = await merchant.payouts.request(aPayout());
    await merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: PHONE,
      amount: 5,
      reference: 'UNFINISHED1',
      silent: true,
    });
    const { webhookUrl, simulator } = merchant;
    await confirmFailure(simulator, merchant.payouts, payout.id);
    await deliverSigned(webhookUrl, webhookBody({ reference: 'UNFINISHED1' }), simulator.apiKey);
    expect((await bus.next('payment.failed')).subject).toBe(failed.id);
    expect((await bus.next('payout.failed')).subject).toBe(payout.id);
    await until(() =>
      bus.named('till.transaction.received').some(({ subject }) => subject === 'UNFINISHED1'),
    );
  });

  it('carry no name, phone number or metadata', async () => {
    const bus = await open();
    await merchant.payments.request(aRequest({ metadata: { note: 'for Jane' } }));
    await bus.next('payment.succeeded');
    const text = JSON.stringify(bus.accepted);
    for (const personal of ['Jane', 'Doe', '254700000001', '0700000001'])
      expect(text).not.toContain(personal);
  });

  it('carry personal data when the host wants it', async () => {
    const bus = await open({ personalData: true });
    await merchant.payments.request(aRequest({ metadata: { order: '7' } }));
    const { data } = await bus.next('payment.succeeded');
    expect(data).toMatchObject({
      payment: { subscriber: { firstName: 'Jane', phoneNumber: PHONE }, metadata: { order: '7' } },
    });
  });

  it('are only those that the host names, with the pattern and the source that it chooses', async () => {
    const bus = await open({
      events: ['payment.succeeded', 'payment.succeeded'],
      pattern: ({ type, source }) => `${type}@${source}`,
      source: (account) => `https://shop.example/payments/${account}`,
    });
    await merchant.payments.request(aRequestFrom('+254700000004'));
    await merchant.received.next('payment.failed');
    await merchant.payments.request(aRequest());
    await bus.next('payment.succeeded');
    expect(bus.attempts.map(({ pattern }) => pattern)).toEqual([
      'com.tillkit.payment.succeeded@https://shop.example/payments/default',
    ]);
  });

  it('are emitted again with the same id until the bus accepts them', async () => {
    const bus = await open({ events: ['payment.succeeded'] });
    bus.fault = () => {
      if (bus.attempts.length < 3) throw new Error('the bus is away');
    };
    await merchant.payments.request(aRequest());
    const event = await bus.next('payment.succeeded');
    expect(bus.attempts.map(({ event: { id } }) => id)).toEqual(Array(3).fill(event.id));
    expect(new Set(bus.attempts.map(({ event: { source } }) => source)).size).toBe(1);
  });

  it('that the bus keeps refusing become dead letters of a listener with a stable id, and can be replayed', async () => {
    const bus = await open({ events: ['payment.succeeded'] });
    let isAway = true;
    bus.fault = () => (isAway ? Promise.reject(new Error('no route')) : undefined);
    await merchant.payments.request(aRequest());
    const [letter] = await deadLetters();
    expect(letter).toMatchObject({
      listener: 'ForwardPaymentEvents',
      event: 'payment.succeeded',
      attempts: 3,
      lastError: 'no route',
    });
    isAway = false;
    expect(await merchant.app.get(EventsService).replayDeadLetters(letter?.id)).toHaveLength(1);
    await bus.next('payment.succeeded');
    expect(bus.accepted).toHaveLength(1);
  });

  it('are not accepted by a bus that does not answer in time', async () => {
    const bus = await open(
      { events: ['payment.succeeded'] },
      { listeners: { retryScheduleMs: [5], timeoutMs: 100 } },
    );
    bus.fault = () => new Promise(() => undefined);
    await merchant.payments.request(aRequest());
    expect(await deadLetters()).toMatchObject([
      { attempts: 2, lastError: 'it did not end in 100 ms' },
    ]);
    expect(bus.accepted).toEqual([]);
  });

  it.each([
    ['a text', 'Connection lost', 'Connection lost'],
    [
      'an error inside an object with the URL',
      { err: new Error('refused'), url: 'amqp://u:secret@h' },
      'refused',
    ],
    [
      'an error with the URL',
      new Error('cannot reach amqp://u:secret@h/x'),
      'cannot reach amqp://h/x',
    ],
    [
      'an object without a text',
      { url: 'amqp://u:secret@h' },
      'the client of the bus failed and did not say why',
    ],
    ['nothing', undefined, 'the client of the bus failed and did not say why'],
  ])(
    'whose client rejects with %s leave no password of the broker in the store',
    async (_what, rejection, stored) => {
      const bus = await open(
        { events: ['payment.succeeded'] },
        { listeners: { retryScheduleMs: [1] } },
      );
      bus.fault = () => Promise.reject(rejection);
      await merchant.payments.request(aRequest());
      expect(await deadLetters()).toMatchObject([{ lastError: stored }]);
    },
  );

  it('of one operation are emitted in order, and those of others do not wait for them', async () => {
    const store = new MemoryStore();
    const bus = await open({}, { store, listeners: { retryScheduleMs: [5, 5] } });
    const seen: string[] = [];
    bus.fault = ({ event: { id, subject } }) => {
      const isFirstOfOne = subject === 'one' && seen.length < 2;
      seen.push(id);
      if (isFirstOfOne) throw new Error('not yet');
    };
    const commit = (stream: string, ...names: string[]) =>
      commitTo(store, {
        account: 'default',
        history: [],
        events: names.map((distinction) =>
          newEvent(
            'delivery.unrecognised',
            { account: 'default', stream, via: 'webhook', distinction },
            { deliveryId: stream, topic: distinction },
          ),
        ),
      });
    await commit('one', 'first', 'second', 'third');
    await commit('two', 'other');
    await merchant.payments.request(aRequest());
    await until(() => bus.named('delivery.unrecognised').length === 4);
    const topics = (subject: string) =>
      bus
        .named('delivery.unrecognised')
        .filter((event) => event.subject === subject)
        .map(({ data }) => data.topic);
    expect(topics('one')).toEqual(['first', 'second', 'third']);
    expect(topics('two')).toEqual(['other']);
  });

  it('that are on their way when the application closes are accepted before the client is closed', async () => {
    const bus = await open({ events: ['payment.succeeded'] });
    let accept = (): void => undefined;
    bus.fault = () => new Promise<void>((resolve) => (accept = resolve));
    await merchant.payments.request(aRequest());
    await until(() => bus.attempts.length === 1);
    const closed = merchant.app.close();
    setTimeout(() => accept(), 20);
    await closed;
    expect([bus.accepted.length, bus.closedAfter]).toEqual([1, 1]);
  });
});
