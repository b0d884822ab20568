import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';
import type { FaultKind } from './faults.constants.js';

describe('The fault', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  async function pay(phone = '+254700000001') {
    const id = await platform.client.pay({ phone, callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    return id;
  }
  const attributes = () =>
    platform.receiver.received[0]!.body.data.attributes as {
      status: string;
      event: { errors: unknown };
    };

  it('duplicate sends the delivery the given number of times more', async () => {
    platform.simulator.faults.once('duplicate', {}, { times: 20 });
    await pay();
    expect(platform.receiver.received).toHaveLength(21);
  });

  it('reorder sends the delivery after the next one', async () => {
    platform.simulator.faults.once('reorder');
    await pay('+254700000002');
    expect(platform.receiver.received).toEqual([]);
    await pay();
    expect(platform.arrivals()).toEqual(['Success', 'Failed']);
  });

  it('reorder sends the delivery after its maximum wait when there is no other', async () => {
    platform.simulator.faults.once('reorder');
    await pay();
    await platform.simulator.clock.advance(2_000);
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it('delay sends the delivery after the status can be read', async () => {
    platform.simulator.faults.once('delay', {}, { ms: 30_000 });
    const id = await pay();
    await platform.simulator.clock.advance(29_000);
    expect(platform.receiver.received).toEqual([]);
    expect(
      (await platform.client.get(`/api/v2/incoming_payments/${id}`)).body.data.attributes.status,
    ).toBe('Success');
    await platform.simulator.clock.advance(1_000);
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it('lose never sends the delivery', async () => {
    platform.simulator.faults.once('lose', { delivery: 'callback' });
    await pay();
    await platform.simulator.clock.advance(3_600_000);
    expect(platform.receiver.received).toEqual([]);
  });

  it('replay sends an earlier delivery again', async () => {
    await pay('+254700000002');
    platform.simulator.faults.once('replay', { phone: '+254700000001' });
    platform.simulator.faults.once('replay', { phone: '+254700000001' });
    await pay();
    await pay();
    expect(platform.receiver.received).toHaveLength(5);
  });

  it('replay with ms sends the same delivery again after this time', async () => {
    platform.simulator.faults.once('replay', {}, { ms: 86_400_000 });
    await pay();
    await platform.simulator.clock.advance(86_400_000);
    expect(platform.receiver.received).toHaveLength(2);
    expect(platform.receiver.received[1]!.raw.equals(platform.receiver.received[0]!.raw)).toBe(
      true,
    );
  });

  it('before-create-answer delivers a success or a failure before the answer to the create', async () => {
    platform.simulator.faults.rate('before-create-answer', 1);
    await platform.client.pay({ phone: '+254700000002', callbackUrl: platform.receiver.url });
    expect(platform.arrivals()).toEqual(['Failed']);
  });

  it('before-create-answer answers the create even if the receiver waits for that answer', async () => {
    platform.simulator.faults.once('before-create-answer', {}, { ms: 50 });
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    platform.receiver.onDelivery = () => answered;
    await platform.client.pay({ callbackUrl: platform.receiver.url });
    answer();
    await platform.simulator.idle();
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it('before-create-answer leaves the prompt of a handset to the person', async () => {
    platform.simulator.faults.once('before-create-answer');
    await pay('+254700000014');
    expect(platform.receiver.received).toEqual([]);
  });

  it.each([
    'truncate',
    'gzip',
    'bom',
    'wrong-key',
    'unsigned',
    'reserialised',
    'authorization-header',
  ] as const)(
    '%s damages one attempt, and the retry arrives undamaged',
    async (kind: FaultKind) => {
      platform.simulator.faults.once(kind);
      platform.receiver.answers = [401];
      await pay();
      await platform.simulator.clock.advance(1_000);
      const attempts = platform.simulator.deliveries.list()[0]!.attempts;
      expect(attempts.map(({ faults }) => faults)).toEqual([[kind], []]);
    },
  );

  it('unknown-status gives a payment a status that no document lists', async () => {
    platform.simulator.faults.once(
      'unknown-status',
      { delivery: 'callback' },
      { paymentStatus: 'Escheated' },
    );
    const id = await pay();
    expect(attributes().status).toBe('Escheated');
    expect(
      (await platform.client.get(`/api/v2/incoming_payments/${id}`)).body.data.attributes.status,
    ).toBe('Success');
  });

  it('unknown-status can apply to reads only', async () => {
    platform.simulator.faults.once('unknown-status', { resource: 'incoming_payments' });
    const id = await pay();
    const { body } = await platform.client.get(`/api/v2/incoming_payments/${id}`);
    expect([attributes().status, body.data.attributes.status]).toEqual(['Success', 'Settling']);
  });

  it('unknown-field adds unknown fields to callbacks and webhooks', async () => {
    await platform.subscribe();
    platform.simulator.faults.rate('unknown-field', 1);
    await pay();
    const bodies = platform.receiver.received.map(({ raw }) => raw.toString()).join();
    expect(bodies).toContain('risk_score');
    expect(bodies).toContain('loyalty_points');
  });

  it('number-amounts makes amounts numbers in callbacks and webhooks', async () => {
    await platform.subscribe();
    platform.simulator.faults.rate('number-amounts', 1);
    await pay();
    const amounts = platform.receiver.received.map(
      ({ body }): unknown => (body.event ?? body.data.attributes.event).resource.amount,
    );
    expect(amounts).toEqual([100, 100]);
  });

  it('string-errors makes the errors a string', async () => {
    platform.simulator.faults.once('string-errors');
    await pay('+254700000002');
    expect(attributes().event.errors).toBe('Request cancelled by user');
  });
});
