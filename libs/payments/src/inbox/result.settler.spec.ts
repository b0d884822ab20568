import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { BackgroundPacer } from '../http/background.pacer.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import { MemoryStore } from '../ledger/memory/memory.store.js';
import type { PaymentRecord } from '../ledger/payment.js';
import type { CallbackUrls } from '../resources/callback-urls.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import type { PollingService } from '../resources/polling/polling.service.js';
import { readPolling, type Polling } from '../resources/polling/polling.resource.js';
import { readEnvelope } from '../resources/resource-envelope.js';
import type { SmsNotificationsService } from '../resources/sms-notifications/sms-notifications.service.js';
import {
  aNewPayment,
  anIncomingPayment,
  aTransaction,
  SETTINGS,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { PlatformUnavailableError } from '../payments.errors.js';
import { DeliveryProcessor, LEASE_MS } from './delivery.processor.js';
import { OversizedCallbacks } from './oversized.callbacks.js';
import { ResultSettler } from './result.settler.js';
import type { WebhookSettler } from './webhook.settler.js';

Logger.overrideLogger(false);

const HANDED_OUT = 'https://shop.test/payments';

const urlOf = (id: string, resource = 'incoming-payments'): string =>
  `${HANDED_OUT}/callbacks/${resource}/${id}`;

describe('a result that only its URL vouches for', () => {
  let runtime: SkippingRuntime;
  let closing: ClosingSignal;
  let store: MemoryStore;
  let ledger: Ledger;
  let feed: LedgerFeed;
  let results: ResultSettler;
  let processor: DeliveryProcessor;
  /** What the platform answers to a read, by its id. */
  let answers: Map<string, IncomingPayment>;
  let pollings: (() => Polling)[];
  let reads: number;
  /** The platform takes a read and never answers. */
  let silent: boolean;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    closing = new ClosingSignal(runtime);
    store = new MemoryStore(() => runtime.now());
    const clock = new PlatformClock(runtime);
    feed = new LedgerFeed(closing);
    ledger = new Ledger(store, feed, clock, SETTINGS);
    answers = new Map();
    pollings = [];
    reads = 0;
    silent = false;
    const incomingPayments = {
      get: async (id: string) => {
        reads += 1;
        return silent ? new Promise(() => undefined) : answers.get(id);
      },
    } as unknown as IncomingPaymentsService;
    const polling = {
      get: async () => (pollings.length > 1 ? pollings.shift() : pollings[0])?.(),
    } as unknown as PollingService;
    results = new ResultSettler(
      store,
      ledger,
      feed,
      {
        isHandedOut: (_: string, __: string, url: string, isSigned: boolean) =>
          isSigned || url.includes(HANDED_OUT),
      } as unknown as CallbackUrls,
      new BackgroundPacer(closing, SETTINGS, runtime),
      incomingPayments,
      polling,
      {} as SmsNotificationsService,
      SETTINGS,
      runtime,
      clock,
    );
    processor = new DeliveryProcessor(
      store,
      feed,
      closing,
      results,
      {} as WebhookSettler,
      SETTINGS,
      runtime,
    );
  });

  afterEach(() => processor.onModuleDestroy());

  const deliver = async (
    id: string,
    ownId: string,
    resource: unknown = {},
    verifiedBy: 'url' | 'signature' = 'url',
    callbackUrl = urlOf(ownId),
  ): Promise<unknown> =>
    store.storeDelivery({
      id: randomUUID(),
      account: 'default',
      key: id,
      kind: 'callback',
      resource: 'incoming-payments',
      resourceId: ownId,
      verifiedBy,
      body: Buffer.from(
        JSON.stringify({
          data: {
            id,
            type: 'incoming_payment',
            attributes: {
              status: 'Success',
              event: { type: 'Incoming Payment Request', resource, errors: null },
              _links: { callback_url: callbackUrl, self: null },
            },
          },
        }),
      ),
    });

  const answered = (id: string, ownId: string, answer: IncomingPayment): void =>
    void answers.set(id, { ...answer, links: { callbackUrl: urlOf(ownId), self: null } });

  const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('is told in the end, however many come at once', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => `p${n}`);
    for (const id of ids) {
      const own = aTransaction({ reference: `R${id}` });
      answered(id, `bare-${id}`, anIncomingPayment(id, 'Success', own));
      await deliver(id, `bare-${id}`);
    }
    await processor.onApplicationBootstrap();
    const told = (): Promise<number> =>
      store
        .listDeliveries('default', { state: 'done' }, { limit: 500 })
        .then(({ items }) => items.length);
    await until(async () => (await told()) === ids.length);
    // Nearly every read is of use: one whose delivery no longer waits for it is not made.
    expect(reads).toBeLessThan(ids.length * 1.2);
  });

  it('is not waited for longer than its delivery is leased, when the platform answers to no read', async () => {
    const asked = runtime.now();
    silent = true;
    await deliver('p1', 'bare-1');
    const [delivery] = await store.claimDeliveries('default', 'callback', 1, LEASE_MS);
    const { data } = JSON.parse(String(delivery!.body)) as { data: Record<string, unknown> };
    await expect(results.settle(delivery!, readEnvelope({ data })!)).rejects.toThrow(
      'could not be asked in time',
    );
    expect(runtime.now() - asked).toBeLessThan(LEASE_MS);
  });

  it('is believed when it was signed, though its URL is none that would be handed out now', async () => {
    const url = 'https://shop.test/before/callbacks/incoming-payments/bare-1';
    await deliver('p1', 'bare-1', { reference: 'ONE', status: 'Received' }, 'signature', url);
    await processor.onApplicationBootstrap();
    await until(async () => (await store.listEvents('default', 'p1')).length > 0);
    expect(await store.listEvents('default', 'p1')).toMatchObject([
      { name: 'incoming-payment.completed' },
    ]);
  });

  it('of a payment that succeeded is asked for: its money may have gone back', async () => {
    const recorded = await store.recordPayment(aNewPayment(), { sendBeforeMs: 60_000 });
    if (recorded.kind !== 'recorded') throw new Error(recorded.kind);
    const { id } = recorded.payment;
    const sent = await ledger.markRequested(recorded.payment, 'one', 1_000);
    await ledger.takeAnswer(sent as PaymentRecord, { kind: 'created', id: 'p1' });
    await ledger.takeIncomingPayment(
      id,
      anIncomingPayment('p1', 'Success', aTransaction()),
      'status',
    );
    const back = aTransaction({ status: 'Reversed' });
    answered('p1', id, anIncomingPayment('p1', 'Success', back));
    await deliver('p1', id, { reference: 'ONE', status: 'Reversed' });
    await processor.onApplicationBootstrap();
    await until(async () => (await ledger.payment(id)).state === 'reversed');
  });

  describe('and that is a polling result too large to be delivered', () => {
    const polled = (status: string): Polling => {
      const attributes = {
        status,
        transactions: [],
        _links: { callback_url: urlOf('bare-1', 'polling') },
      };
      return readPolling(readEnvelope({ data: { id: 'w', type: 'polling', attributes } })!);
    };

    let oversized: OversizedCallbacks;
    let polls: number;

    /** The platform's answers one after the other; the last one repeats. */
    const pollingAnswers = (...given: (() => Polling)[]): void => {
      pollings = given.map((answer) => () => {
        polls += 1;
        return answer();
      });
    };

    beforeEach(async () => {
      polls = 0;
      oversized = new OversizedCallbacks(store, feed, results, closing, SETTINGS, runtime);
      await store.keepBareRequest('default', {
        id: 'bare-1',
        resource: 'polling',
        platformId: 'w',
        sentAt: new Date(runtime.now()),
        money: null,
      });
    });

    it.each<[string, () => Polling]>([
      [
        'the platform is away',
        () => {
          throw new PlatformUnavailableError(
            { operation: 'get polling', status: 503, platformMessages: [] },
            null,
          );
        },
      ],
      ['it is not ready', () => polled('Pending')],
    ])('is read again when %s at first', async (_, first) => {
      pollingAnswers(first, first, () => polled('Success'));
      await oversized.refused('polling', 'bare-1');
      expect(await store.listEvents('default', 'w')).toMatchObject([{ name: 'polling.completed' }]);
    });

    it('is asked for once a minute, however often it is refused', async () => {
      pollingAnswers(() => polled('Success'));
      for (let n = 0; n < 5; n += 1) await oversized.refused('polling', 'bare-1');
      expect(polls).toBe(1);
    });

    it('is asked for once when it is refused again while it is not ready', async () => {
      pollingAnswers(() => polled('Pending'));
      const first = oversized.refused('polling', 'bare-1');
      runtime.advance(61_000);
      await Promise.all([first, oversized.refused('polling', 'bare-1')]);
      expect(polls).toBe(6);
    });

    it('is nothing to ask for when nobody asked: anybody can post to an invented id', async () => {
      const before = runtime.now();
      await oversized.refused('polling', 'bare-invented');
      expect(runtime.now() - before).toBeLessThan(1_000);
      expect(await store.counts('default')).toEqual([]);
    });

    it('is an anomaly when it cannot be read for long', async () => {
      pollingAnswers(() => polled('Pending'));
      await oversized.refused('polling', 'bare-1');
      expect(await store.counts('default')).toMatchObject([
        { what: 'polling result too large and not read' },
      ]);
    });
  });
});
