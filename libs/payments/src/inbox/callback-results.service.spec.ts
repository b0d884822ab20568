import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { IncomingPayment } from '../platform/resources/incoming-payments.service.js';
import { readEnvelope } from '../platform/wire-value.js';
import { DELIVERY_LEASE_MS } from '../ledger/arriving-delivery.js';
import { MemoryStore } from '../memory/memory.store.js';
import { aDelivery, callbackUrlOf, deliveriesOf } from '../testing/deliveries.fixture.js';
import {
  aLedger,
  applied,
  aPendingPayment,
  aSuccess,
  aTransaction,
  type LedgerUnderTest,
  keyOf,
  resourcesWith,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { BareResultsService } from './bare-results.service.js';
import type { DeliveryProcessor } from './delivery-processor.js';

Logger.overrideLogger(false);

describe('a result in a callback', () => {
  let runtime: SkippingRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let bareResults: BareResultsService;
  let processor: DeliveryProcessor;
  /** The answer of the platform to a read, by platform id. */
  let answers: Map<string, IncomingPayment>;
  let reads: number;
  /** The platform receives a read and never answers. */
  let silent: boolean;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    store = new MemoryStore(() => runtime.now());
    answers = new Map();
    reads = 0;
    silent = false;
    const incomingPayments = {
      get: async (id: string) => {
        reads += 1;
        return silent ? new Promise(() => undefined) : answers.get(id);
      },
    };
    const resources = resourcesWith({ incomingPayments });
    under = aLedger(store, {}, runtime, resources);
    ({ bareResults, processor } = deliveriesOf(under, runtime, resources));
  });

  afterEach(() => processor.onModuleDestroy());

  const deliver = async (
    id: string,
    ownId: string,
    resource: unknown = {},
    verifiedBy: 'url' | 'signature' = 'url',
    callbackUrl = callbackUrlOf(ownId),
  ): Promise<unknown> =>
    store.deliveries.store(
      aDelivery(
        {
          data: {
            id,
            type: 'incoming_payment',
            attributes: {
              status: 'Success',
              event: { type: 'Incoming Payment Request', resource, errors: null },
              _links: { callback_url: callbackUrl, self: null },
            },
          },
        },
        { resourceId: ownId, verifiedBy },
      ),
    );

  const answered = (id: string, ownId: string, answer: IncomingPayment): void =>
    void answers.set(id, { ...answer, links: { callbackUrl: callbackUrlOf(ownId), self: null } });

  const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('is applied even if many arrive at once without a signature', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `p${n}`);
    for (const id of ids) {
      const own = aTransaction({ reference: `R${id}` });
      answered(id, `bare-${id}`, aSuccess(id, own));
      await deliver(id, `bare-${id}`);
    }
    processor.onApplicationBootstrap();
    const done = (): Promise<number> =>
      store.deliveries
        .list('default', { state: 'done' }, { limit: 500 })
        .then(({ items }) => items.length);
    await until(async () => (await done()) === ids.length);
    // Nearly every read is useful: no read is made after its delivery has stopped waiting.
    expect(reads).toBeLessThan(ids.length * 1.2);
  });

  it('without an answer from the platform occupies its delivery no longer than the lease', async () => {
    const asked = runtime.now();
    silent = true;
    await deliver('p1', 'bare-1');
    const [delivery] = await store.deliveries.claim(['default'], 'callback', 1, DELIVERY_LEASE_MS);
    const { data } = JSON.parse(String(delivery!.body)) as { data: Record<string, unknown> };
    await expect(bareResults.apply(delivery!, readEnvelope({ data })!)).rejects.toThrow(
      'could not be read in time',
    );
    expect(runtime.now() - asked).toBeLessThan(DELIVERY_LEASE_MS);
  });

  it('is applied when it is signed, even if its URL is not one that the present settings create', async () => {
    const url = 'https://shop.test/before/callbacks/incoming-payments/bare-1';
    await deliver('p1', 'bare-1', { reference: 'ONE', status: 'Received' }, 'signature', url);
    processor.onApplicationBootstrap();
    await until(async () => (await store.events.list('default', 'p1')).length > 0);
    expect(await store.events.list('default', 'p1')).toMatchObject([
      { name: 'incoming-payment.completed' },
    ]);
  });

  it('is read from the platform when its payment has succeeded, because the transaction may have been reversed', async () => {
    const { id } = await aPendingPayment(under, 'p1');
    await applied(under, keyOf(id), aSuccess('p1'), 'status');
    const back = aTransaction({ status: 'Reversed' });
    answered('p1', id, aSuccess('p1', back));
    await deliver('p1', id, { reference: 'ONE', status: 'Reversed' });
    processor.onApplicationBootstrap();
    await until(async () => (await under.ledger.find(keyOf(id))).state === 'reversed');
    // No read is scheduled for a payment that was reversed: a callback about it is confirmed at once as well.
    const readsBefore = reads;
    await deliver('p1', id, { reference: 'ONE', status: 'Received' });
    await until(async () => reads > readsBefore);
  });
});
