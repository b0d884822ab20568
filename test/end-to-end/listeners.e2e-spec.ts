import { EventEmitter } from 'node:events';
import {
  Injectable,
  Scope,
  type INestApplication,
  type OnModuleInit,
  Inject,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  EventsService,
  MemoryStore,
  OnPaymentEvent,
  PaymentsConfigurationError,
  PaymentsAccount,
  type PaymentsEvents,
  type PaymentsOptions,
} from '@tillkit/payments';
import { altered } from '../support/altered.store.js';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { commitTo, newEvent } from '../contracts/store-under-test.js';

type Succeeded = PaymentsEvents['payment.succeeded'];

/** A promise that a listener resolves. */
class Deferred {
  resolve!: () => void;
  readonly promise = new Promise<void>((resolve) => (this.resolve = resolve));
}

@Injectable()
class Flaky {
  failures = 2;
  readonly attempts: string[] = [];
  readonly succeeded = new Deferred();

  @OnPaymentEvent('payment.succeeded')
  handle({ eventId }: Succeeded): void {
    this.attempts.push(eventId);
    if (this.attempts.length <= this.failures) throw new Error('not yet');
    this.succeeded.resolve();
  }
}

@Injectable()
class Broken {
  isFixed = false;
  readonly completed = new Deferred();

  @OnPaymentEvent('payment.succeeded', { id: 'broken' })
  async handle(_: Succeeded): Promise<void> {
    await Promise.resolve();
    if (!this.isFixed) throw new Error('broken for good');
    this.completed.resolve();
  }
}

@Injectable()
class Hanging {
  @OnPaymentEvent('payment.succeeded')
  handle(_: Succeeded): Promise<void> {
    return new Promise(() => undefined);
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerEvent {
  static readonly seen: unknown[] = [];

  constructor(@Inject(REQUEST) private readonly event: Succeeded) {}

  @OnPaymentEvent('payment.succeeded')
  handle(event: Succeeded): void {
    PerEvent.seen.push(this, this.event.eventId === event.eventId);
  }
}

@Injectable()
class Plain {
  readonly received: Succeeded[] = [];
  readonly once = new Deferred();

  @OnEvent('payment.succeeded')
  handle(event: Succeeded): void {
    this.received.push(event);
    this.once.resolve();
  }

  @OnEvent('payment.succeeded', { suppressErrors: false })
  throws(): void {
    throw new Error('a plain listener throws');
  }
}

describe('Listeners', () => {
  let merchant: Merchant;
  const open = async (providers: unknown[], more: object = {}): Promise<INestApplication> => {
    merchant = await Merchant.open({
      providers: providers as never,
      payments: { listeners: { retryScheduleMs: [5, 5], timeoutMs: 60_000 } },
      ...more,
    });
    return merchant.app;
  };

  afterEach(() => merchant.close());

  it('are called again until they succeed, each on its own, with the same event id', async () => {
    const flaky = (await open([Flaky])).get(Flaky);
    await merchant.payments.request(aRequest());
    await flaky.succeeded.promise;
    await merchant.payments.request(aRequest());
    await merchant.received.next(
      'payment.succeeded',
      ({ eventId }) => eventId !== flaky.attempts[0],
    );
    expect(flaky.attempts.slice(0, 3)).toEqual(Array(3).fill(flaky.attempts[0]));
    expect(
      merchant.received
        .named('payment.succeeded')
        .filter(({ eventId }) => eventId === flaky.attempts[0]),
    ).toHaveLength(1);
  });

  it('that keep failing cause a dead letter, which can be replayed', async () => {
    const app = await open([Broken]);
    const { id } = await merchant.payments.request(aRequest());
    await merchant.payments.settled(id);
    const events = app.get(EventsService);
    let letters = await events.deadLetters();
    while (letters.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      letters = await events.deadLetters();
    }
    expect(letters).toMatchObject([
      { listener: 'broken', event: 'payment.succeeded', attempts: 3, lastError: 'broken for good' },
    ]);
    const broken = app.get(Broken);
    broken.isFixed = true;
    expect(await events.replayDeadLetters(letters[0]?.id)).toHaveLength(1);
    await broken.completed.promise;
    expect(await events.deadLetters()).toHaveLength(0);
  });

  it('can be deleted when no process has them any more, and not before', async () => {
    const app = await open([Broken]);
    const { id } = await merchant.payments.request(aRequest());
    await merchant.payments.settled(id);
    const events = app.get(EventsService);
    await expect(events.deleteListener('broken')).rejects.toMatchObject({
      problems: [{ field: 'id', problem: expect.stringMatching(/a listener of this process/) }],
    });
    const account = 'default';
    const gone = { event: 'till.transaction.received', listener: 'Gone.handle' } as const;
    const store = app.get(PaymentsAccount, { strict: false }).store;
    await store.events.registerListeners(account, [gone], 'start');
    await merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000077',
      amount: 5,
      reference: 'UNFINISHED1',
      silent: true,
    });
    await deliverSigned(
      merchant.webhookUrl,
      webhookBody({ reference: 'UNFINISHED1' }),
      merchant.simulator.apiKey,
    );
    await merchant.received.next('till.transaction.received');
    expect(await events.deleteListener('Gone.handle')).toBe(1);
    expect(await events.deleteListener('Gone.handle')).toBe(0);
  });

  it('that hang delay no other listener and no other payment', async () => {
    await open([Hanging], {
      payments: { listeners: { concurrency: 4, timeoutMs: 200, retryScheduleMs: [60_000] } },
    });
    for (let n = 10; n < 20; n += 1)
      await merchant.payments.request(aRequestFrom(`+2547000${n}001`));
    for (let n = 10; n < 20; n += 1) {
      await merchant.received.next(
        'payment.succeeded',
        ({ payment }) => payment.subscriber.phoneNumber === `+2547000${n}001`,
      );
    }
  });

  it('are registered before any module of the host starts, so that they miss no event', async () => {
    const began: string[] = [];
    const store = altered(new MemoryStore(), {
      events: {
        registerListeners:
          (registerListeners) =>
          async (...args) => {
            await registerListeners(...args);
            began.push('listeners');
          },
      },
    });
    @Injectable()
    class Host implements OnModuleInit {
      onModuleInit(): void {
        began.push('host');
      }
    }
    await open([Flaky, Host], { payments: { store } });
    expect(began).toEqual(['listeners', 'host']);
  });

  it('that no process has any more are named at start, with the number of events that wait for them', async () => {
    let now = Date.now();
    const store = new MemoryStore(() => now);
    await store.events.registerListeners(
      'default',
      [{ event: 'delivery.unrecognised', listener: 'Removed.handle' }],
      'start',
    );
    const subject = { account: 'default', stream: 'd1', via: 'webhook' } as const;
    const events = [newEvent('delivery.unrecognised', subject, { deliveryId: 'd1', topic: null })];
    await commitTo(store, { account: 'default', events, history: [] });
    now += 11 * 60_000;
    const warnings: string[] = [];
    const logger = {
      log: () => {},
      error: () => {},
      warn: (line: unknown) => warnings.push(String(line)),
    };
    await open([Flaky], {
      payments: { store },
      configure: (app: INestApplication) => app.useLogger(logger),
    });
    expect(warnings.filter((line) => line.includes('Removed.handle'))).toEqual([
      expect.stringMatching(
        /^1 events wait .* call EventsService\.deleteListener\('Removed\.handle'\) account=default listener=Removed\.handle$/,
      ),
    ]);
    expect(await merchant.app.get(EventsService).missingListeners()).toMatchObject([
      { listener: 'Removed.handle', calls: 1 },
    ]);
  });

  it('are called when a factory makes them', async () => {
    const made = new Flaky();
    made.failures = 0;
    await open([{ provide: 'LISTENER', useFactory: () => made }]);
    await merchant.payments.request(aRequest());
    await made.succeeded.promise;
    expect(made.attempts).toHaveLength(1);
  });

  it('are called once when a factory gives one of them a second name', async () => {
    await open([Flaky, { provide: 'ALIAS', useFactory: (made: Flaky) => made, inject: [Flaky] }]);
    const flaky = merchant.app.get(Flaky);
    flaky.failures = 0;
    await merchant.payments.request(aRequest());
    await flaky.succeeded.promise;
    expect(flaky.attempts).toHaveLength(1);
  });

  it('get an instance for each event when they have request scope', async () => {
    PerEvent.seen.length = 0;
    await open([PerEvent]);
    await merchant.payments.request(aRequest());
    await merchant.received.next('payment.succeeded');
    await merchant.payments.request(aRequestFrom('+254700000101'));
    await merchant.received.next('payment.succeeded', ({ payment }) =>
      payment.subscriber.phoneNumber.endsWith('101'),
    );
    while (PerEvent.seen.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    const [first, one, second, other] = PerEvent.seen;
    expect([one, other]).toEqual([true, true]);
    expect(first).not.toBe(second);
  });

  it('with @OnEvent receive each event once, and are not called again when they throw', async () => {
    const plain = (await open([Plain], { imports: [EventEmitterModule.forRoot()] })).get(Plain);
    await merchant.payments.request(aRequest());
    await plain.once.promise;
    await merchant.received.next('payment.succeeded');
    expect(plain.received).toHaveLength(1);
    expect(await merchant.app.get(EventsService).deadLetters()).toHaveLength(0);
  });

  it('with @OnEvent receive events also when the application has its own copy of @nestjs/event-emitter', async () => {
    const received = new Deferred();
    const Copy = class extends EventEmitter2 {};
    Object.defineProperty(Copy, 'name', { value: EventEmitter2.name });
    const emitter = new Copy();
    emitter.on('payment.succeeded', received.resolve);
    // Node's class has the same name.
    await open([EventEmitter, { provide: Copy, useValue: emitter }]);
    await merchant.payments.request(aRequest());
    await received.promise;
  });

  it('get immutable payloads', async () => {
    await open([]);
    await merchant.payments.request(aRequest());
    const { payment } = await merchant.received.next('payment.succeeded');
    expect(Object.isFrozen(payment)).toBe(true);
    expect(Object.isFrozen(payment.amount)).toBe(true);
    expect(payment.createdAt).toBeInstanceOf(Date);
  });
});

describe('Two listeners with the same id', () => {
  it('are refused at start, with the line to write', async () => {
    const Twin = class extends Flaky {};
    Object.defineProperty(Twin, 'name', { value: 'Flaky' });
    const opening = Merchant.open({
      // The start fails before the application listens, so the HTTP adapter plays no part.
      providers: [Flaky, Twin],
    });
    await expect(opening).rejects.toThrow(PaymentsConfigurationError);
    await expect(opening).rejects.toThrow(/@OnPaymentEvent\('payment.succeeded', \{ id:/);
  });
});

describe('A listener that is transactional', () => {
  @Injectable()
  class Careful {
    @OnPaymentEvent('payment.succeeded', { transactional: true })
    async paid(_event: Succeeded, _transaction: object): Promise<void> {}
  }

  const pool = { connect: () => undefined, totalCount: 0 };

  it.each<[string, PaymentsOptions, RegExp]>([
    [
      'nothing begins its transactions',
      {},
      /the listener Careful\.paid has `transactional: true`.*set `transactions`, for example PaymentsModule\.forRootAsync/,
    ],
    [
      'the store is in memory',
      { transactions: pool },
      /the store in memory has no transactions: import PostgresStoreModule/,
    ],
  ])('is refused at the start when %s', async (_, payments, text) => {
    const opening = Merchant.open({ payments, providers: [Careful] });
    await expect(opening).rejects.toThrow(PaymentsConfigurationError);
    await expect(opening).rejects.toThrow(text);
  });
});
