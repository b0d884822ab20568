import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import {
  EventDispatcher,
  MemoryStore,
  OnPaymentEvent,
  type PaymentsEvents,
  type PaymentsOptions,
} from '@tillkit/payments';
import { aRequest, Merchant, type MerchantOptions } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const [platform] = PLATFORMS as [Platform, Platform];

type Succeeded = PaymentsEvents['payment.succeeded'];

/** Something that is waited for, from outside. */
class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

/** A listener that ends when it is told to. */
@Injectable()
class Slow {
  readonly begun = new Gate();
  readonly end = new Gate();
  calls = 0;

  @OnPaymentEvent('payment.succeeded')
  async handle(_: Succeeded): Promise<void> {
    this.calls += 1;
    this.begun.open();
    await this.end.opened;
  }
}

/** A store that says what is done with claims, and can refuse it. */
class ClaimsStore extends MemoryStore {
  renewals = 0;
  readonly renewed = new Gate();
  renewalFailure: Error | null = null;
  lost = false;

  override async renewCalls(...args: Parameters<MemoryStore['renewCalls']>): Promise<string[]> {
    this.renewals += 1;
    this.renewed.open();
    if (this.renewalFailure) throw this.renewalFailure;
    return super.renewCalls(...args);
  }

  override async finishCall(...args: Parameters<MemoryStore['finishCall']>): Promise<boolean> {
    return (await super.finishCall(...args)) && !this.lost;
  }
}

describe('the claim of a listener', () => {
  let merchant: Merchant;
  let store: ClaimsStore;
  const lines: string[] = [];

  const open = async (
    listeners: PaymentsOptions['listeners'],
    more: Partial<MerchantOptions> = {},
  ): Promise<Slow> => {
    store = new ClaimsStore();
    merchant = await Merchant.open({
      platform,
      providers: [Slow],
      payments: { store, ...(listeners && { listeners }) },
      ...more,
    });
    const ignore = (): void => undefined;
    const keep = (line: string): number => lines.push(line);
    Logger.overrideLogger({ log: ignore, warn: keep, error: keep });
    return merchant.app.get(Slow);
  };

  afterEach(async () => {
    merchant.app.get(Slow).end.open();
    await merchant.close();
    Logger.overrideLogger(false);
    lines.length = 0;
  });

  it('is prolonged while it runs, so that nobody else calls it', async () => {
    const slow = await open({ leaseMs: 60 });
    await merchant.payments.request(aRequest());
    await slow.begun.opened;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(slow.calls).toBe(1);
    expect(store.renewals).toBeGreaterThan(1);
  });

  it('that cannot be prolonged is a warning, and ends nothing', async () => {
    const slow = await open({ leaseMs: 300 });
    store.renewalFailure = new Error('the store is away');
    await merchant.payments.request(aRequest());
    await slow.begun.opened;
    await store.renewed.opened;
    await new Promise(setImmediate);
    expect(lines.join('\n')).toMatch(/could not be prolonged: Error: the store is away/);
    slow.end.open();
  });

  it('that was lost to another replica is a warning that names listener and event', async () => {
    const slow = await open({});
    store.lost = true;
    const { id } = await merchant.payments.request(aRequest());
    await slow.begun.opened;
    slow.end.open();
    while (!lines.some((line) => line.includes('taken over')))
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(lines.join('\n')).toMatch(
      /listener Slow\.handle of payment\.succeeded \(event [0-9a-f]+\) was taken over by another replica/,
    );
    expect(id).toBeTruthy();
  });

  it('is not prolonged while nothing runs', async () => {
    await open({ leaseMs: 10 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(store.renewals).toBe(0);
  });

  it('of an event that a listener no longer listens to is left to other processes, and ends as a dead letter', async () => {
    const kept = new ClaimsStore();
    const former = { event: 'payment.succeeded', listener: 'Slow.handle' } as const;
    await kept.registerListeners('default', [former, { ...former, event: 'payment.failed' }]);
    await open({}, { payments: { store: kept, listeners: { retryScheduleMs: [5, 5] } } });
    const { id } = await merchant.payments.request(
      aRequest({
        subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000002' },
      }),
    );
    await merchant.payments.settled(id);
    while (
      (await kept.listEvents('default', id)).some(({ calls }) =>
        calls.some(({ state }) => state === 'pending'),
      )
    )
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await merchant.app.get(EventDispatcher).deadLetters()).toMatchObject([
      { listener: 'Slow.handle', lastError: 'this process has no such listener of payment.failed' },
    ]);
  });

  it('holds for an event emitter that the host made without its module', async () => {
    const emitter = new EventEmitter2();
    const heard: string[] = [];
    emitter.on('payment.succeeded', ({ eventId }: Succeeded) => {
      heard.push(eventId);
      // oxlint-disable-next-line no-throw-literal -- hosts do throw texts, and that is what is tested
      throw 'a text';
    });
    const slow = await open(
      {},
      { providers: [Slow, { provide: EventEmitter2, useValue: emitter }] },
    );
    slow.end.open();
    await merchant.payments.request(aRequest());
    const { eventId } = await merchant.heard.next('payment.succeeded');
    while (!lines.some((line) => line.includes('@OnEvent')))
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(heard).toEqual([eventId]);
  });

  it('that has died is not replayed under an id that nobody knows', async () => {
    await open({});
    expect(await merchant.app.get(EventDispatcher).replayDeadLetters('nothing')).toBe(0);
  });
});
