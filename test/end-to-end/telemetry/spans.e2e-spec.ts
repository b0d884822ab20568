import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { MemoryStore, OnPaymentEvent, TokensService, type PaymentsEvents } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../../support/merchant.js';
import { RecordedTelemetry } from '../../../libs/payments/src/testing/recorded.telemetry.js';

@Injectable()
class Flaky {
  failures = 1;
  readonly calls: string[] = [];

  @OnPaymentEvent('payment.succeeded', { id: 'flaky' })
  handle({ eventId }: PaymentsEvents['payment.succeeded']): void {
    this.calls.push(trace.getActiveSpan()?.spanContext().spanId ?? '');
    if (this.calls.length <= this.failures) throw new RangeError(`Jane Doe did not pay ${eventId}`);
  }
}

const traceOf = (span: ReadableSpan): string => span.spanContext().traceId;
const linksOf = (span: ReadableSpan): string[] => span.links.map(({ context }) => context.spanId);

describe('Spans', () => {
  let telemetry: RecordedTelemetry;
  let merchant: Merchant | undefined;
  let simulator: Simulator | undefined;

  beforeEach(() => {
    telemetry = new RecordedTelemetry();
    telemetry.start();
  });
  afterEach(async () => {
    await merchant?.close();
    await simulator?.stop();
    merchant = simulator = undefined;
    await telemetry.stop();
  });

  it('lead from the request to the callback and on to the listener call', async () => {
    merchant = await Merchant.open();
    const payment = await merchant.payments.request(aRequest());
    await merchant.received.next('payment.succeeded');
    const call = await telemetry.ended('process payment.succeeded');
    const request = await telemetry.ended('request payment');
    const callback = await telemetry.ended('receive callback');

    expect(request.attributes).toMatchObject({
      'tillkit.account': 'default',
      'tillkit.operation.id': payment.id,
      'tillkit.operation.kind': 'payment',
    });
    const create = await telemetry.ended('POST /api/v2/incoming_payments');
    expect(create.kind).toBe(SpanKind.CLIENT);
    expect(create.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(create.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(merchant.simulator.url).port),
      'url.full': `${merchant.simulator.url}/api/v2/incoming_payments`,
      'url.template': '/api/v2/incoming_payments',
      'tillkit.call': 'create incoming payment',
    });

    expect(callback.kind).toBe(SpanKind.SERVER);
    expect(callback.attributes).toMatchObject({
      'tillkit.delivery.kind': 'callback',
      'tillkit.operation.id': payment.id,
      'tillkit.operation.state': 'succeeded',
    });
    expect(traceOf(callback)).not.toBe(traceOf(request));
    expect(linksOf(callback)).toEqual([request.spanContext().spanId]);

    expect(call.kind).toBe(SpanKind.CONSUMER);
    expect(traceOf(call)).toBe(traceOf(callback));
    expect(call.parentSpanContext?.spanId).toBe(callback.spanContext().spanId);
    expect(call.attributes).toMatchObject({
      'messaging.system': 'tillkit',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'payment.succeeded',
      'messaging.consumer.group.name': 'RecordedEvents.succeeded',
      'tillkit.outcome': 'done',
    });
  });

  it('neither send a trace to the platform nor continue a trace that a delivery names', async () => {
    merchant = await Merchant.open();
    await merchant.payments.request(aRequest());
    const { headers } = merchant.lastPost('/incoming_payments');
    expect(Object.keys(headers)).toContain('authorization');
    for (const name of ['traceparent', 'tracestate', 'baggage'])
      expect(Object.keys(headers)).not.toContain(name);
    const odd = '0af7651916cd43dd8448eb211c80319c';
    const { webhookUrl, simulator: platformOf } = merchant;
    await deliverSigned(webhookUrl, webhookBody(), platformOf.apiKey, {
      traceparent: `00-${odd}-b7ad6b7169203331-01`,
    });
    const delivery = await telemetry.ended('receive webhook');
    expect(traceOf(delivery)).not.toBe(odd);
    expect(delivery.parentSpanContext).toBeUndefined();
  });

  it('are linked also when one process sends, another one gets the callback, and a third one calls the listener', async () => {
    const store = new MemoryStore();
    simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
    simulator.faults.rate('lose', 1);
    const first = await Merchant.open({ shared: simulator, payments: { store } });
    const { id } = await first.payments.request(aRequest());
    await first.close();
    const request = await telemetry.ended('request payment');

    // The platform repeats what was lost, to a process that only stores it.
    simulator.faults.clear();
    const { url, body } = await lostCallback(simulator);
    const second = await Merchant.open({
      shared: simulator,
      payments: { store, background: false },
    });
    const path = new URL(url).pathname;
    expect((await deliverSigned(second.url + path, body, simulator.apiKey)).status).toBe(200);
    await second.close();
    const callback = await telemetry.ended('receive callback');
    expect(callback.links).toEqual([]);

    merchant = await Merchant.open({ shared: simulator, payments: { store } });
    await merchant.received.next('payment.succeeded', ({ payment }) => payment.id === id);
    const call = await telemetry.ended('process payment.succeeded');
    const process = await telemetry.ended('process callbacks');
    expect(process.parentSpanContext?.spanId).toBe(callback.spanContext().spanId);
    expect(linksOf(process)).toEqual([request.spanContext().spanId]);
    const batch = await telemetry.ended('receive callbacks');
    expect(batch.attributes).toMatchObject({ 'messaging.batch.message_count': 1 });
    expect(linksOf(batch)).toEqual([callback.spanContext().spanId]);
    expect(call.parentSpanContext?.spanId).toBe(process.spanContext().spanId);
    expect(traceOf(call)).toBe(traceOf(callback));
  });

  it('of a repeated listener call begin a trace that is linked, and say which error it was but not its text', async () => {
    merchant = await Merchant.open({
      providers: [Flaky],
      payments: { listeners: { retryScheduleMs: [5, 5] } },
    });
    await merchant.payments.request(aRequest());
    const isFlaky = ({ attributes }: ReadableSpan): boolean =>
      attributes['messaging.consumer.group.name'] === 'flaky';
    const done = await telemetry.ended(
      'process payment.succeeded',
      (span) => isFlaky(span) && span.attributes['tillkit.outcome'] === 'done',
    );
    const failed = await telemetry.ended(
      'process payment.succeeded',
      (span) => isFlaky(span) && span.attributes['tillkit.outcome'] === 'retry',
    );
    expect(failed.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(failed.attributes['error.type']).toBe('RangeError');
    expect(failed.events).toEqual([]);
    expect(traceOf(done)).not.toBe(traceOf(failed));
    expect(done.parentSpanContext).toBeUndefined();
    expect(linksOf(done)).toEqual([failed.parentSpanContext?.spanId]);
    // A listener runs within the span of its call.
    expect(merchant.app.get(Flaky).calls).toEqual([
      failed.spanContext().spanId,
      done.spanContext().spanId,
    ]);
  });

  it('show reads and sweeps that find what no callback said', async () => {
    merchant = await Merchant.open({
      payments: { reconciliation: { scheduleMs: [20], sweepEveryMs: 50 } },
    });
    merchant.simulator.faults.rate('lose', 1);
    await merchant.payments.request(aRequest());
    await merchant.received.next('payment.succeeded');
    const request = await telemetry.ended('request payment');
    const found = await telemetry.ended(
      'reconcile payment',
      ({ attributes }) => attributes['tillkit.operation.state'] === 'succeeded',
    );
    expect(linksOf(found)).toEqual([request.spanContext().spanId]);
    const read = await telemetry.ended('GET /api/v2/incoming_payments/{id}');
    expect(read.attributes['url.full']).toMatch(/\/api\/v2\/incoming_payments\/\{id\}$/);
    const sweep = await telemetry.ended('sweep');
    const poll = await telemetry.ended('POST /api/v2/polling');
    expect(sweep.parentSpanContext).toBeUndefined();
    expect(traceOf(poll)).toBe(traceOf(sweep));
  });

  it('have no name, number, secret, token, key or path of a customer or an account', async () => {
    const urlSecret = 'a secret of the URLs that is long enough';
    merchant = await Merchant.open({
      providers: [Flaky],
      payments: { urlSecrets: [urlSecret], listeners: { retryScheduleMs: [5, 5] } },
    });
    const { simulator: platformOf, webhookUrl } = merchant;
    await merchant.payments.request(aRequest());
    await merchant.payments.request(aRequestFrom('+254700000004'));
    await merchant.received.next('payment.failed');
    await deliverSigned(webhookUrl, webhookBody(), platformOf.apiKey);
    await merchant.received.next('till.transaction.received');
    await telemetry.ended('process till.transaction.received');
    const mac = new URL(webhookUrl).pathname.split('/').at(-1) as string;
    expect(mac.length).toBeGreaterThan(20);
    const exported = JSON.stringify(
      telemetry.spans.map(({ name, attributes, events, links, status, resource }) => [
        [name, attributes, events, status],
        [links.map((link) => link.attributes), resource.attributes],
      ]),
    );
    const points = JSON.stringify(await telemetry.points());
    const secrets = [
      '0700000001',
      '254700000001',
      '254700000004',
      'Jane',
      'Doe',
      mac,
      urlSecret,
      platformOf.clientId,
      platformOf.clientSecret,
      platformOf.apiKey,
      'Bearer',
      await merchant.app.get(TokensService).get(),
    ];
    for (const secret of secrets) {
      expect(exported).not.toContain(secret);
      expect(points).not.toContain(secret);
    }
    expect(exported).toContain('request payment');
    expect(points).toContain('tillkit.deliveries');
  });
});

/** Returns the callback that the platform sent and that did not arrive. */
async function lostCallback({ deliveries }: Simulator): Promise<{ url: string; body: string }> {
  for (;;) {
    const lost = deliveries
      .list()
      .find(({ kind, state }) => kind === 'callback' && state === 'lost');
    if (lost) return lost;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
