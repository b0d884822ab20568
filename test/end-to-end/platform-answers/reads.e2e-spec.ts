import { describe, expect, it } from '@jest/globals';
import { IncomingPaymentsService, PollingService } from '@tillkit/payments';
import { aRequest } from '../../support/merchant.js';
import { scripted } from '../../support/scripted.merchant.js';
import { CREATE, created, json } from '../../support/scripted.platform.js';

describe('The answer to a read', () => {
  // The application only sends here: both HTTP adapters would show the same.
  const { platform, open } = scripted();

  it.each([
    ['another id', { id: 'two', type: 'incoming_payment', attributes: {} }, /another resource/],
    ['another type', { id: 'one', type: 'polling', attributes: {} }, /its type is not/],
    ['no attributes', { id: 'one', type: 'incoming_payment' }, /no resource with id/],
  ])('with %s is refused', async (_, data, words) => {
    platform.on('GET /api/v2/incoming_payments/one', json(200, { data }));
    const { app } = await open();
    await expect(app.get(IncomingPaymentsService).get('one')).rejects.toThrow(words);
  });

  it('is an error when it has more than 8 MB', async () => {
    const attributes = { pad: 'x'.repeat(8 * 1024 * 1024) };
    const data = { id: 'one', type: 'incoming_payment', attributes };
    platform.on('GET /api/v2/incoming_payments/one', json(200, { data }));
    const { app } = await open();
    await expect(app.get(IncomingPaymentsService).get('one')).rejects.toThrow(
      /larger than the limit, 8 MB/,
    );
  });

  it('is an error when a window ends in Failed, because half a list would look like missing money', async () => {
    platform.on('POST /api/v2/polling', json(201, {}, { location: '/api/v2/polling/one' }));
    platform.on(
      'GET /api/v2/polling/one',
      json(404, {}),
      json(200, { data: { id: 'one', type: 'polling', attributes: { status: 'Pending' } } }),
      json(200, { data: { id: 'one', type: 'polling', attributes: { status: 'Failed' } } }),
    );
    const { reconciliation } = await open();
    const window = { from: new Date(Date.now() - 60_000), to: new Date() };
    await expect(reconciliation.report(window)).rejects.toThrow(/read polling window.*it failed/);
    expect(platform.count('GET /api/v2/polling/one')).toBe(3);
  });

  it('is an error when the platform refuses a window', async () => {
    platform.on('POST /api/v2/polling', json(201, {}, { location: '/api/v2/polling/one' }));
    platform.on('GET /api/v2/polling/one', json(403, {}));
    const { reconciliation } = await open();
    const window = { from: new Date(Date.now() - 60_000), to: new Date() };
    await expect(reconciliation.report(window)).rejects.toMatchObject({ status: 403 });
  });

  it('lists no transactions when its transactions are not a list', async () => {
    const attributes = { status: 'Success', transactions: 'none' };
    platform.on(
      'GET /api/v2/polling/one',
      json(200, { data: { id: 'one', type: 'polling', attributes } }),
    );
    const { app } = await open();
    expect((await app.get(PollingService).get('one')).transactions).toEqual([]);
  });

  it('with an excessive Retry-After does not keep a payment from review', async () => {
    platform.on(CREATE, created('one'));
    platform.on('GET /api/v2/incoming_payments/one', json(503, {}, { 'retry-after': '999999999' }));
    const { payments } = await open({
      reconciliation: { scheduleMs: [20], intervalMs: 10, reviewAfterMs: 300, sweepEveryMs: 0 },
    });
    const { id } = await payments.request(aRequest());
    expect(await payments.settled(id)).toMatchObject({ state: 'needs_review' });
  });
});
