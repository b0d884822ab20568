import { Injectable, Scope, type INestApplication, type OnModuleInit } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Inject } from '@nestjs/common';
import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  EventDispatcher,
  MemoryStore,
  OnPaymentEvent,
  PaymentsConfigurationError,
  PaymentsStore,
  type PaymentsEvents,
} from '@tillkit/payments';
import { newEvent } from '@tillkit/payments/store';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

type Succeeded = PaymentsEvents['payment.succeeded'];

/** Something that is waited for, from outside. */
class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

@Injectable()
class Flaky {
  failures = 2;
  readonly attempts: string[] = [];
  readonly succeeded = new Gate();

  @OnPaymentEvent('payment.succeeded')
  handle({ eventId }: Succeeded): void {
    this.attempts.push(eventId);
    if (this.attempts.length <= this.failures) throw new Error('not yet');
    this.succeeded.open();
  }
}

@Injectable()
class Broken {
  mended = false;
  readonly heard = new Gate();

  @OnPaymentEvent('payment.succeeded', { id: 'broken' })
  async handle(_: Succeeded): Promise<void> {
    await Promise.resolve();
    if (!this.mended) throw new Error('broken for good');
    this.heard.open();
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
  readonly heard: Succeeded[] = [];
  readonly once = new Gate();

  @OnEvent('payment.succeeded')
  handle(event: Succeeded): void {
    this.heard.push(event);
    this.once.open();
  }

  @OnEvent('payment.succeeded', { suppressErrors: false })
  throws(): void {
    throw new Error('a plain listener throws');
  }
}

describe.each(PLATFORMS)('listeners on $platform', (platform) => {
  let merchant: Merchant;
  const open = async (providers: unknown[], more: object = {}): Promise<INestApplication> => {
    merchant = await Merchant.open({
      platform,
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
    await flaky.succeeded.opened;
    await merchant.payments.request(aRequest());
    await merchant.heard.next('payment.succeeded', ({ eventId }) => eventId !== flaky.attempts[0]);
    expect(flaky.attempts.slice(0, 3)).toEqual(Array(3).fill(flaky.attempts[0]));
    expect(
      merchant.heard
        .named('payment.succeeded')
        .filter(({ eventId }) => eventId === flaky.attempts[0]),
    ).toHaveLength(1);
  });

  it('that keep failing end in a dead letter, which can be replayed', async () => {
    const app = await open([Broken]);
    const { id } = await merchant.payments.request(aRequest());
    await merchant.payments.settled(id);
    const dispatcher = app.get(EventDispatcher);
    let letters = await dispatcher.deadLetters();
    while (letters.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      letters = await dispatcher.deadLetters();
    }
    expect(letters).toMatchObject([
      { listener: 'broken', event: 'payment.succeeded', attempts: 3, lastError: 'broken for good' },
    ]);
    const broken = app.get(Broken);
    broken.mended = true;
    expect(await dispatcher.replayDeadLetters(letters[0]?.id)).toBe(1);
    await broken.heard.opened;
    expect(await dispatcher.deadLetters()).toHaveLength(0);
  });

  it('are forgotten when nobody has them any more, and not before', async () => {
    const app = await open([Broken]);
    const { id } = await merchant.payments.request(aRequest());
    await merchant.payments.settled(id);
    const dispatcher = app.get(EventDispatcher);
    await expect(dispatcher.forgetListener('broken')).rejects.toMatchObject({
      problems: [{ field: 'id', problem: expect.stringMatching(/listens in this process/) }],
    });
    const account = 'default';
    const gone = { event: 'till.transaction.received', listener: 'Gone.handle' } as const;
    const store = app.get(PaymentsStore, { strict: false });
    await store.registerListeners(account, [gone]);
    await merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000077',
      amount: 5,
      reference: 'UNHEARD1',
      silent: true,
    });
    await deliverSigned(
      merchant.payments.webhookUrl(),
      webhookBody({ reference: 'UNHEARD1' }),
      merchant.simulator.apiKey,
    );
    await merchant.heard.next('till.transaction.received');
    expect(await dispatcher.forgetListener('Gone.handle')).toBe(1);
    expect(await dispatcher.forgetListener('Gone.handle')).toBe(0);
  });

  it('that hang hold up no other listener and no other payment', async () => {
    await open([Hanging], {
      payments: { listeners: { concurrency: 4, timeoutMs: 200, retryScheduleMs: [60_000] } },
    });
    for (let n = 10; n < 20; n += 1)
      await merchant.payments.request(aRequestFrom(`+2547000${n}001`));
    for (let n = 10; n < 20; n += 1) {
      await merchant.heard.next(
        'payment.succeeded',
        ({ payment }) => payment.subscriber.phoneNumber === `+2547000${n}001`,
      );
    }
  });

  it('are known before any module of the host starts: what is emitted sooner would be kept for nobody', async () => {
    const began: string[] = [];
    class WatchedStore extends MemoryStore {
      override async registerListeners(
        ...args: Parameters<MemoryStore['registerListeners']>
      ): Promise<void> {
        await super.registerListeners(...args);
        began.push('listeners');
      }
    }
    @Injectable()
    class Host implements OnModuleInit {
      onModuleInit(): void {
        began.push('host');
      }
    }
    await open([Flaky, Host], { payments: { store: new WatchedStore() } });
    expect(began).toEqual(['listeners', 'host']);
  });

  it('that no process has any more are named at start, with how many events wait for them', async () => {
    let now = Date.now();
    const store = new MemoryStore(() => now);
    await store.registerListeners('default', [
      { event: 'delivery.unrecognised', listener: 'Removed.hear' },
    ]);
    const subject = { account: 'default', stream: 'd1', via: 'webhook' } as const;
    const events = [newEvent('delivery.unrecognised', subject, { deliveryId: 'd1', topic: null })];
    await store.commit({ account: 'default', events, history: [] });
    now += 11 * 60_000;
    const warnings: string[] = [];
    const logger = { log: () => {}, error: () => {}, warn: (line: string) => warnings.push(line) };
    await open([Flaky], {
      payments: { store },
      configure: (app: INestApplication) => app.useLogger(logger),
    });
    expect(warnings.filter((line) => line.includes('Removed.hear'))).toEqual([
      expect.stringMatching(/^1 events wait .* call forgetListener\('Removed\.hear'\)$/),
    ]);
    expect(await merchant.app.get(EventDispatcher).unheardListeners()).toMatchObject([
      { listener: 'Removed.hear', calls: 1 },
    ]);
  });

  it('that a factory makes are called', async () => {
    const made = new Flaky();
    made.failures = 0;
    await open([{ provide: 'LISTENER', useFactory: () => made }]);
    await merchant.payments.request(aRequest());
    await made.succeeded.opened;
    expect(made.attempts).toHaveLength(1);
  });

  it('are called once where a factory gives one of them another name', async () => {
    await open([Flaky, { provide: 'ALIAS', useFactory: (made: Flaky) => made, inject: [Flaky] }]);
    const flaky = merchant.app.get(Flaky);
    flaky.failures = 0;
    await merchant.payments.request(aRequest());
    await flaky.succeeded.opened;
    expect(flaky.attempts).toHaveLength(1);
  });

  it('of request scope get an instance for each event', async () => {
    PerEvent.seen.length = 0;
    await open([PerEvent]);
    await merchant.payments.request(aRequest());
    await merchant.heard.next('payment.succeeded');
    await merchant.payments.request(aRequestFrom('+254700000101'));
    await merchant.heard.next('payment.succeeded', ({ payment }) =>
      payment.subscriber.phoneNumber.endsWith('101'),
    );
    while (PerEvent.seen.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    const [first, one, second, other] = PerEvent.seen;
    expect([one, other]).toEqual([true, true]);
    expect(first).not.toBe(second);
  });

  it('written with @OnEvent hear each event once, and what they throw is not repeated', async () => {
    const plain = (await open([Plain], { imports: [EventEmitterModule.forRoot()] })).get(Plain);
    await merchant.payments.request(aRequest());
    await plain.once.opened;
    await merchant.heard.next('payment.succeeded');
    expect(plain.heard).toHaveLength(1);
    expect(await merchant.app.get(EventDispatcher).deadLetters()).toHaveLength(0);
  });

  it('get payloads that cannot be changed', async () => {
    await open([]);
    await merchant.payments.request(aRequest());
    const { payment } = await merchant.heard.next('payment.succeeded');
    expect(Object.isFrozen(payment)).toBe(true);
    expect(Object.isFrozen(payment.amount)).toBe(true);
    expect(payment.createdAt).toBeInstanceOf(Date);
  });
});

describe('two listeners that would be remembered under one id', () => {
  it('are refused at start, with the line to write', async () => {
    const [platform] = PLATFORMS;
    const Twin = class extends Flaky {};
    Object.defineProperty(Twin, 'name', { value: 'Flaky' });
    const opening = Merchant.open({
      platform: platform as (typeof PLATFORMS)[number],
      providers: [Flaky, Twin],
    });
    await expect(opening).rejects.toThrow(PaymentsConfigurationError);
    await expect(opening).rejects.toThrow(/@OnPaymentEvent\('payment.succeeded', \{ id:/);
  });
});
