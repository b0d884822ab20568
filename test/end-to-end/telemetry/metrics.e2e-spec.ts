import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  MemoryStore,
  OnPaymentEvent,
  PaymentsAccounts,
  type PaymentsEvents,
} from '@tillkit/payments';
import { METRICS, type Metric } from '../../../libs/payments/src/runtime/telemetry/metrics-list.js';
import { altered } from '../../support/altered.store.js';
import { deliver, deliverSigned, webhookBody } from '../../support/deliver.js';
import { aRequest, aRequestFrom, Merchant, type MerchantOptions } from '../../support/merchant.js';
import { RecordedTelemetry } from '../../../libs/payments/src/testing/recorded.telemetry.js';
import { until } from '../../support/until.js';

@Injectable()
class Broken {
  @OnPaymentEvent('payment.succeeded', { id: 'broken' })
  handle(_: PaymentsEvents['payment.succeeded']): void {
    throw new TypeError('no');
  }
}

describe('Metrics', () => {
  let telemetry: RecordedTelemetry;
  let merchant: Merchant;
  const open = async (options: Partial<MerchantOptions> = {}): Promise<Merchant> => {
    // Metrics do not depend on the HTTP adapter, so one is enough here. Spans are tested on both.
    merchant = await Merchant.open({ ...options });
    return merchant;
  };

  beforeEach(() => {
    telemetry = new RecordedTelemetry();
    telemetry.start();
  });
  afterEach(async () => {
    await merchant.close();
    await telemetry.stop();
  });

  it('count requests, retries, token renewals and deliveries by verdict', async () => {
    const { simulator, payments, received, webhookUrl } = await open();
    simulator.faults.once('create-429', {}, { retryAfter: 1 });
    simulator.faults.once('duplicate');
    await payments.request(aRequest());
    await received.next('payment.succeeded');
    await deliverSigned(webhookUrl, webhookBody(), 'another key');
    await deliver(webhookUrl, webhookBody());
    await until(async () => (await verdicts('duplicate')) === 1);

    const create = { 'tillkit.call': 'create incoming payment' };
    expect(await telemetry.sum('http.client.request.duration', create)).toBe(2);
    expect(
      await telemetry.sum('http.client.request.duration', {
        ...create,
        'http.response.status_code': 429,
        'error.type': '429',
        'url.template': '/api/v2/incoming_payments',
      }),
    ).toBe(1);
    const limited = { 'error.type': 'PAYMENTS_RATE_LIMITED' };
    expect(await telemetry.sum('tillkit.platform.retries', limited)).toBe(1);
    expect(await telemetry.sum('tillkit.token.renewals')).toBe(1);
    expect(await verdicts('accepted')).toBe(1);
    expect(await verdicts('signature')).toBe(2);
  });

  const verdicts = (verdict: string): Promise<number> =>
    telemetry.sum('tillkit.deliveries', { 'tillkit.delivery.verdict': verdict });

  it('show what is paused', async () => {
    const { app } = await open();
    const accounts = app.get(PaymentsAccounts);
    await accounts.pause({ account: 'default', by: 'jane', note: 'moved' });
    await accounts.pause({ by: 'jane', note: 'the database moves' });
    expect(await telemetry.points('tillkit.sending.pauses')).toMatchObject([{ value: 2 }]);
  });

  it('count deliveries that could not be stored', async () => {
    const store = altered(new MemoryStore(), {
      deliveries: {
        store: () => () => Promise.reject(new Error('the disk is full')),
      },
    });
    const { webhookUrl, simulator } = await open({ payments: { store } });
    const { status } = await deliverSigned(webhookUrl, webhookBody(), simulator.apiKey);
    expect(status).toBe(503);
    expect(await verdicts('unavailable')).toBe(1);
  });

  it('count lines that the logger of the host threw on, and a stranger who causes them changes nothing', async () => {
    const { app, webhookUrl } = await open();
    const full = (): never => {
      throw new Error('ENOSPC: no space left on device');
    };
    app.useLogger({ log: full, warn: full, error: full });
    const refused = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-kopokopo-signature': 'a'.repeat(64) },
      body: '{}',
    });
    app.useLogger(false);
    expect(refused.status).toBe(401);
    expect(await telemetry.sum('tillkit.log.lost')).toBe(1);
  });

  it('measure how operations end, and how long that takes', async () => {
    const { payments, received } = await open();
    await payments.request(aRequest());
    await payments.request(aRequestFrom('+254700000004'));
    await received.next('payment.succeeded');
    const { reason } = await received.next('payment.failed');
    const payment = { 'tillkit.operation.kind': 'payment' };
    for (const state of ['succeeded', 'failed']) {
      const settled = { ...payment, 'tillkit.operation.state': state };
      expect(await telemetry.sum('tillkit.operation.time_to_outcome', settled)).toBe(1);
    }
    expect(
      await telemetry.sum('tillkit.operation.outcomes', {
        ...payment,
        'tillkit.operation.state': 'failed',
        'tillkit.operation.reason': reason,
        'tillkit.via': 'callback',
      }),
    ).toBe(1);
  });

  it('measure listener calls, and show dead letters in the backlog', async () => {
    const { payments } = await open({
      providers: [Broken],
      payments: { listeners: { retryScheduleMs: [1] } },
    });
    await payments.request(aRequest());
    const failed = {
      'messaging.destination.name': 'payment.succeeded',
      'messaging.consumer.group.name': 'broken',
      'tillkit.outcome': 'given_up',
      'error.type': 'TypeError',
    };
    await until(async () => (await telemetry.sum('messaging.process.duration', failed)) === 1);
    await until(
      async () =>
        (await telemetry.sum('tillkit.backlog', { 'tillkit.queue': 'dead_letters' })) === 1,
    );
    expect(await telemetry.sum('tillkit.store.up')).toBe(1);
  });

  it('say when the circuit is open, and by which kind an anomaly was counted', async () => {
    const { payments, simulator, webhookUrl } = await open({
      payments: { reconciliation: { scheduleMs: [10], sweepEveryMs: 0 } },
    });
    simulator.faults.rate('lose', 1);
    simulator.faults.rate('read-429', 1, { retryAfter: 30 });
    await payments.request(aRequest());
    await until(async () => (await telemetry.sum('tillkit.circuit.open')) === 1);
    const unknown = webhookBody({}, { topic: 'a topic of tomorrow from +254700000001' });
    await deliverSigned(webhookUrl, unknown, simulator.apiKey);
    await until(
      async () =>
        (await telemetry.sum('tillkit.anomalies', { 'tillkit.anomaly': 'unrecognised' })) === 1,
    );
  });

  it('say that the store is away, and show no stale backlog', async () => {
    let isAway = true;
    const store = altered(new MemoryStore(), {
      statistics: {
        queues:
          (queues) =>
          async (...args) => {
            if (isAway) throw new Error('away');
            return queues(...args);
          },
      },
    });
    await open({ payments: { store } });
    expect(await telemetry.points('tillkit.store.up')).toMatchObject([{ value: 0 }]);
    expect(await telemetry.points('tillkit.backlog')).toEqual([]);
    isAway = false;
    await until(async () => (await telemetry.sum('tillkit.store.up')) === 1);
    expect(await telemetry.points('tillkit.backlog')).toHaveLength(8);
  });

  it('name the account only if it wants that', async () => {
    await open({ payments: { telemetry: { accountInMetrics: true } } });
    await merchant.payments.request(aRequest());
    await merchant.received.next('payment.succeeded');
    const named = new Set(
      (await telemetry.points())
        .filter(({ attributes }) => attributes['tillkit.account'] === 'default')
        .map(({ metric }) => metric),
    );
    expect([...named].sort()).toEqual([
      'http.client.request.duration',
      'messaging.process.duration',
      'tillkit.backlog',
      'tillkit.backlog.age',
      'tillkit.deliveries',
      'tillkit.operation.outcomes',
      'tillkit.operation.time_to_outcome',
      'tillkit.token.renewals',
    ]);
    await merchant.close();
    const before = await telemetry.points();
    await open();
    await merchant.payments.request(aRequest());
    await merchant.received.next('payment.succeeded');
    const unnamed = (await telemetry.points()).filter(({ attributes }) => {
      const isNew = !before.some(
        (point) => JSON.stringify(point.attributes) === JSON.stringify(attributes),
      );
      return isNew && 'tillkit.account' in attributes;
    });
    expect(unnamed).toEqual([]);
  });

  it('have only the attributes and units that the list of metrics says', async () => {
    const { payments, received } = await open({ providers: [Broken] });
    await payments.request(aRequest());
    await received.next('payment.succeeded');
    const listed = new Map<string, Metric>(Object.values(METRICS).map((one) => [one.name, one]));
    const points = await telemetry.points();
    expect(points.length).toBeGreaterThan(10);
    for (const { metric, unit, attributes } of points) {
      expect([metric, unit]).toEqual([metric, listed.get(metric)?.unit]);
      const allowed = listed.get(metric)?.attributes ?? [];
      expect(Object.keys(attributes).filter((name) => !allowed.includes(name))).toEqual([]);
    }
  });
});
