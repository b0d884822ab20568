import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import {
  EventsService,
  MemoryStore,
  OnPaymentEvent,
  type PaymentsEvents,
  type PaymentsOptions,
} from '@tillkit/payments';
import { altered } from '../support/altered.store.js';
import { aRequest, Merchant, type MerchantOptions } from '../support/merchant.js';
import { until } from '../support/until.js';

type Succeeded = PaymentsEvents['payment.succeeded'];

/** A promise that the test or a listener resolves. */
class Deferred {
  resolve!: () => void;
  readonly promise = new Promise<void>((resolve) => (this.resolve = resolve));
}

/** A listener that ends when the test resolves `end`. */
@Injectable()
class Slow {
  readonly begun = new Deferred();
  readonly end = new Deferred();
  calls = 0;

  @OnPaymentEvent('payment.succeeded')
  async handle(_: Succeeded): Promise<void> {
    this.calls += 1;
    this.begun.resolve();
    await this.end.promise;
  }
}

/** A store that counts how often claims are extended, and can refuse to extend or to finish them. */
class WatchedClaims {
  renewals = 0;
  readonly renewed = new Deferred();
  renewalFailure: Error | null = null;
  lost = false;

  readonly store = altered(new MemoryStore(), {
    events: {
      renewCalls:
        (renewCalls) =>
        async (...args) => {
          this.renewals += 1;
          this.renewed.resolve();
          if (this.renewalFailure) throw this.renewalFailure;
          return renewCalls(...args);
        },
      finishCall:
        (finishCall) =>
        async (...args) =>
          (await finishCall(...args)) && !this.lost,
    },
  });
}

describe('The claim of a listener call', () => {
  let merchant: Merchant;
  let claims: WatchedClaims;
  const lines: string[] = [];

  const open = async (
    listeners: PaymentsOptions['listeners'],
    more: Partial<MerchantOptions> = {},
  ): Promise<Slow> => {
    claims = new WatchedClaims();
    merchant = await Merchant.open({
      // Claims are between the dispatcher and the store: the HTTP adapter plays no part.
      providers: [Slow],
      payments: { store: claims.store, ...(listeners && { listeners }) },
      ...more,
    });
    const ignore = (): void => undefined;
    const keep = (line: unknown): number => lines.push(String(line));
    Logger.overrideLogger({ log: ignore, warn: keep, error: keep });
    return merchant.app.get(Slow);
  };

  afterEach(async () => {
    merchant.app.get(Slow).end.resolve();
    await merchant.close();
    Logger.overrideLogger(false);
    lines.length = 0;
  });

  it('is extended while the listener runs, so that no other replica calls the listener', async () => {
    const slow = await open({ leaseMs: 1_000 });
    await merchant.payments.request(aRequest());
    await slow.begun.promise;
    // Longer than the lease that the call began with.
    await until(() => claims.renewals > 3 || slow.calls > 1);
    expect(slow.calls).toBe(1);
  });

  it('causes a warning and does not interrupt the listener when it cannot be extended', async () => {
    const slow = await open({ leaseMs: 300 });
    claims.renewalFailure = new Error('no connection');
    await merchant.payments.request(aRequest());
    await slow.begun.promise;
    await claims.renewed.promise;
    await new Promise(setImmediate);
    expect(lines.join('\n')).toMatch(/could not be renewed: Error: no connection/);
    slow.end.resolve();
  });

  it('causes a warning that names listener and event when another replica has taken it over', async () => {
    const slow = await open({});
    claims.lost = true;
    const { id } = await merchant.payments.request(aRequest());
    await slow.begun.promise;
    slow.end.resolve();
    while (!lines.some((line) => line.includes('taken over')))
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(lines.join('\n')).toMatch(
      /taken over by another replica while it ran account=default listener=Slow\.handle event=payment\.succeeded eventId=[0-9a-f]+ /,
    );
    expect(id).toBeTruthy();
  });

  it('is not extended while no listener runs', async () => {
    await open({ leaseMs: 10 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(claims.renewals).toBe(0);
  });

  it('is left to other processes when the listener no longer listens to the event, and ends in a dead letter', async () => {
    const store = new MemoryStore();
    const former = { event: 'payment.succeeded', listener: 'Slow.handle' } as const;
    await store.events.registerListeners(
      'default',
      [former, { ...former, event: 'payment.failed' }],
      'start',
    );
    await open({}, { payments: { store, listeners: { retryScheduleMs: [5, 5] } } });
    const { id } = await merchant.payments.request(
      aRequest({
        subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000002' },
      }),
    );
    await merchant.payments.settled(id);
    while (
      (await store.events.list('default', id)).some(({ calls }) =>
        calls.some(({ state }) => state === 'pending'),
      )
    )
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await merchant.app.get(EventsService).deadLetters()).toMatchObject([
      { listener: 'Slow.handle', lastError: 'this process has no such listener of payment.failed' },
    ]);
  });

  it('is not made for @OnEvent listeners, which receive each event from an emitter that the host made itself', async () => {
    const emitter = new EventEmitter2();
    const received: string[] = [];
    emitter.on('payment.succeeded', ({ eventId }: Succeeded) => {
      received.push(eventId);
      // oxlint-disable-next-line no-throw-literal -- hosts do throw strings, and this test shows what happens then
      throw 'a text';
    });
    const slow = await open(
      {},
      { providers: [Slow, { provide: EventEmitter2, useValue: emitter }] },
    );
    slow.end.resolve();
    await merchant.payments.request(aRequest());
    const { eventId } = await merchant.received.next('payment.succeeded');
    while (!lines.some((line) => line.includes('@OnEvent')))
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(received).toEqual([eventId]);
  });

  it('is not made again when the id of the dead letter is unknown', async () => {
    await open({});
    expect(await merchant.app.get(EventsService).replayDeadLetters('nothing')).toHaveLength(0);
  });
});
