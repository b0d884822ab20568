import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PlatformRejectedError } from '../../platform.errors.js';
import { readResource } from '../../platform/resource-table.js';
import {
  BarePaymentLinksService,
  type PaymentLinkResource,
  PAYMENT_LINK,
} from '../../platform/resources/bare-payment-links.service.js';
import { readEnvelope } from '../../platform/wire-value.js';
import { MemoryStore } from '../../memory/memory.store.js';
import { aLedger, resourcesWith, type LedgerUnderTest } from '../../testing/ledger.fixture.js';
import { MovedRuntime } from '../../testing/moved.runtime.js';
import { READY, partsOf, readerOf } from '../../testing/operation-parts.fixture.js';
import type { PaymentLinkRecord, RequestPaymentLink } from './payment-link.js';
import { PaymentLinksService } from './payment-links.service.js';

Logger.overrideLogger(false);

describe('a payment link', () => {
  let under: LedgerUnderTest;
  let sent: unknown[];
  /** The platform shows this for every link; null: it answers 404. */
  let shown: Record<string, unknown> | null;
  let onCancel: () => void;
  let links: PaymentLinksService;

  const rejected = (status: number): PlatformRejectedError =>
    new PlatformRejectedError({ operation: 'link', status, platformMessages: [] });

  const resource = (id: string): PaymentLinkResource => {
    if (!shown) throw rejected(404);
    const money = { till_number: '514459', currency: 'KES', amount: '100.0' };
    const attributes = { status: 'Processed', ...money, payment_link: shown };
    return readResource(
      PAYMENT_LINK,
      readEnvelope({ data: { id, type: 'payment_link', attributes } })!,
    );
  };

  beforeEach(() => {
    const runtime = new MovedRuntime();
    // Background requests wait in real time for their turn in the store.
    const store = new MemoryStore(() => runtime.now() + performance.now());
    sent = [];
    shown = { payment_link_status: 'Active', link: 'https://pay.example/links/1' };
    onCancel = () => {
      shown = { payment_link_status: 'Cancelled' };
    };
    const paymentLinks = {
      complete: BarePaymentLinksService.prototype.complete,
      settings: { current: { tillNumber: '514459', tills: [], tillAliases: {} } },
      post: async (request: unknown) => {
        sent.push(request);
        return { kind: 'created', id: `link-${sent.length}` };
      },
      get: async (id: string) => resource(id),
      cancel: async () => onCancel(),
    };
    const resources = resourcesWith({ ...READY, paymentLinks });
    under = aLedger(store, {}, runtime, resources);
    const reader = readerOf<PaymentLinkRecord>(under, runtime);
    const parts = partsOf<PaymentLinkRecord>(under, runtime, resources);
    links = new PaymentLinksService(...parts, { current: under.settings }, resources, reader);
  });

  afterEach(() => under.shutdown.close());

  const asked = (changes: Partial<RequestPaymentLink> = {}): RequestPaymentLink => ({
    idempotencyKey: 'order-1',
    amount: { currency: 'KES', value: '100' },
    ...changes,
  });

  it('is made once for a key, and its URL is there at once', async () => {
    const link = await links.request(asked());
    expect(link).toMatchObject({ state: 'pending', url: 'https://pay.example/links/1' });
    const again = asked({ amount: { currency: 'KES', value: '100.00' } });
    expect(await links.request(again)).toMatchObject({ id: link.id });
    expect(sent).toHaveLength(1);
  });

  it('is made although its URL cannot be read yet', async () => {
    shown = null;
    expect(await links.request(asked())).toMatchObject({ state: 'pending', url: null });
  });

  it.each<[string, Partial<RequestPaymentLink>]>([
    ['another amount', { amount: { currency: 'KES', value: '101' } }],
    ['another till', { tillNumber: '999' }],
    ['another reference', { paymentReference: 'order 2' }],
    ['another note', { note: 'hello' }],
    ['other metadata', { metadata: { order: '2' } }],
  ])('is refused for the key of a link with %s', async (_, changes) => {
    await links.request(asked());
    await expect(links.request(asked(changes))).rejects.toMatchObject({
      code: 'PAYMENTS_IDEMPOTENCY_CONFLICT',
    });
    expect(sent).toHaveLength(1);
  });

  it('of the same amount can be made under another key while the first one is open', async () => {
    await links.request(asked());
    expect(await links.request(asked({ idempotencyKey: 'order-2' }))).toMatchObject({
      state: 'pending',
    });
  });

  it('that is cancelled has failed, and can be cancelled again', async () => {
    const { id } = await links.request(asked());
    const cancelled = { state: 'failed', reason: 'cancelled' };
    expect(await links.cancel(id)).toMatchObject(cancelled);
    expect(await links.cancel(id)).toMatchObject(cancelled);
  });

  it('that a customer paid before it was cancelled has succeeded', async () => {
    const { id } = await links.request(asked());
    onCancel = () => {
      shown = { status: 'Paid', transaction_reference: 'ONE' };
      throw rejected(422);
    };
    expect(await links.cancel(id)).toMatchObject({
      state: 'succeeded',
      transaction: { reference: 'ONE' },
    });
    await expect(links.cancel(id)).rejects.toThrow(/it is succeeded/);
  });

  it('that the platform refuses to cancel stays open, and the error says so', async () => {
    const { id } = await links.request(asked());
    onCancel = () => {
      throw rejected(422);
    };
    await expect(links.cancel(id)).rejects.toMatchObject({ status: 422 });
    expect(await links.find(id)).toMatchObject({ state: 'pending' });
  });

  it('can be seen before it is requested, which records and sends nothing', async () => {
    expect(links.preview(asked({ requestedBy: 'jane' }))).toMatchObject({
      tillNumber: '514459',
      amount: { currency: 'KES', value: '100' },
    });
    expect(() => links.preview(asked({ amount: { currency: 'KES', value: '0' } }))).toThrow(
      'amount.value',
    );
    expect(sent).toEqual([]);
  });

  it('has the name of who cancels it in its history, before the platform is asked', async () => {
    const { id } = await links.request(asked());
    onCancel = () => {
      throw rejected(503);
    };
    await expect(links.cancel(id, { by: 'jane' })).rejects.toThrow(PlatformRejectedError);
    expect((await links.history(id)).at(-1)).toMatchObject({
      what: 'note',
      detail: 'cancelling asked for by jane',
    });
    await expect(links.cancel(id, { by: ' ' })).rejects.toThrow('by must be');
  });
});
