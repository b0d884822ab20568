import { Injectable } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { MemoryStore, OnPaymentEvent } from '@tillkit/payments';
import { altered } from '../../support/altered.store.js';
import { deliverSigned, resultBody, webhookBody } from '../../support/deliver.js';
import { aRequestFrom } from '../../support/merchant.js';
import { until } from '../../support/until.js';
import { DashboardHost, PERSON, PHONE, SECRET_DIGITS, Unwilling } from './dashboard.fixture.js';

const HOSTILE = '<img src=x onerror=alert(1)>';

/** A listener that fails once, and is called again much later. */
@Injectable()
class Sleepy {
  @OnPaymentEvent('payment.succeeded', { id: 'Sleepy.<b>wake</b>' })
  wake(): void {
    throw new Error(`not now ${HOSTILE} ${PHONE}`);
  }
}

/** Returns the text of a page, without markup. */
const words = (html: string): string =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.:])/g, '$1');

describe('The timeline', () => {
  const host = new DashboardHost();

  /** Returns a payment of a customer who has approved the prompt after the create was answered. */
  async function approved(): Promise<string> {
    const { merchant } = host;
    const { id } = await merchant.payments.request(aRequestFrom(PERSON));
    const handset = merchant.simulator.handset(PERSON);
    await until(() => handset.prompts().some(({ state }) => state === 'open'));
    handset.approve();
    await merchant.received.next('payment.succeeded');
    return id;
  }

  it('of a payment shows its callback, what that led to and its duplicates, with a link to it', async () => {
    await host.open();
    const id = await approved();
    const { store, webhookUrl, simulator } = host.merchant;
    const callbacks = async () =>
      (await store.deliveries.list('default', { resourceId: id }, { limit: 5 })).items;
    await until(async () => (await callbacks()).length === 1);
    const [callback] = await callbacks();
    const { body } = (await store.deliveries.find('default', callback!.id))!;
    const url = webhookUrl.replace('webhooks', `callbacks/incoming-payments/${id}`);
    for (const _ of [1, 2]) await deliverSigned(url, body, simulator.apiKey);
    // The delivery is stored before it is processed, so the page may need a moment.
    const text = await host.dashboard.pageWith(`/payments/${id}`, 'Led to');
    expect(text).toContain(`deliveries/${callback!.id}"`);
    expect(words(text)).toMatch(
      /Callback received .* Signature verified Led to: pending to succeeded 2 duplicates Paid by callback/,
    );
  });

  it('of a payment shows the callbacks that changed nothing, whatever they say', async () => {
    await host.open();
    const id = await approved();
    const { webhookUrl, simulator, payments } = host.merchant;
    const { platformId } = (await payments.find(id))!;
    const url = webhookUrl.replace('webhooks', `callbacks/incoming-payments/${id}`);
    const odd = JSON.stringify({ data: { type: HOSTILE, id: 'x', attributes: { a: PHONE } } });
    await deliverSigned(url, odd, simulator.apiKey);
    await deliverSigned(url, resultBody(platformId!, url, { status: 'Waiting' }), simulator.apiKey);
    await host.dashboard.pageWith(`/payments/${id}`, 'Not understood');
    const text = await host.dashboard.pageWith(`/payments/${id}`, 'Processed at the first attempt');
    expect(text).not.toContain('<img');
    expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    expect(words(text).match(/Callback received/g)).toHaveLength(3);
    expect(words(text)).toContain('Not understood');
  });

  it('shows a listener that fails, with its last error and when it is called again', async () => {
    await host.open({
      providers: [Sleepy, Unwilling],
      payments: { listeners: { retryScheduleMs: [1, 3_600_000] } },
    });
    const id = await host.paid();
    const page = `/payments/${id}`;
    const failing = words(await host.dashboard.pageWith(page, '2 attempts so far'));
    expect(failing).toContain('1 of 3 listeners completed.');
    expect(failing).toMatch(/Next call: \d+ \w+ 20\d\d/);
    expect(failing).toMatch(/Sleepy\.&lt;b&gt;wake&lt;\/b&gt; has not completed yet/);
    expect(failing).toContain('last error: not now &lt;img src=x onerror=alert(1)&gt;');
    expect(failing).toMatch(
      /RecordedEvents\.succeeded completed .* after the event at the first attempt/,
    );
    expect(failing.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
  });

  it('of a payment leads from a dead letter to its row, which names the customer and the payment with one query for all rows', async () => {
    let found = 0;
    const store = altered(new MemoryStore(), {
      operations: {
        findMany: (original) => (account, ids) => {
          if (ids.length > 1) found += 1;
          return original(account, ids);
        },
      },
    });
    await host.open({
      providers: [Unwilling],
      payments: { store, listeners: { retryScheduleMs: [1] } },
    });
    const [id, other] = [await host.paid({ idempotencyKey: `INV ${HOSTILE}` }), await host.paid()];
    const text = await host.dashboard.pageWith(`/payments/${id}`, 'became a dead letter');
    const [, anchor] = /dead-letters\?listener=[\w.]+#([^"]+)"/.exec(text)!;
    await host.dashboard.pageWith(`/payments/${other}`, 'became a dead letter');
    expect(words(text)).toMatch(/1 of 2 listeners completed\. Unwilling\.paid failed/);
    const letters = (await host.dashboard.get('/dead-letters')).text;
    expect(letters).toContain(`id="${decodeURIComponent(anchor!)}"`);
    expect(letters).toContain(`payments/${id}"`);
    expect(words(letters)).toMatch(/KES 100\.00 INV &lt;img src=x onerror=alert\(1\)&gt; Jane Doe/);
    expect(letters).toContain('+254 7•• ••• •01');
    expect(letters).not.toContain('<img');
    expect(letters.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    expect(found).toBe(1);
  });

  it('of a transaction shows the webhooks that reported it, also on the page of its payment', async () => {
    await host.open();
    const id = await approved();
    const { webhookUrl, simulator, payments, store, received } = host.merchant;
    const { reference } = (await payments.find(id))!.transaction!;
    const post = (): Promise<unknown> =>
      deliverSigned(
        webhookUrl,
        webhookBody({ reference, sender_phone_number: PERSON }),
        simulator.apiKey,
      );
    await post();
    await received.next('till.transaction.received');
    await post();
    const till = `/transaction?till=514459&reference=${reference}`;
    const reports = async () =>
      (await store.transactions.find('default', reference!))!.sums[0]!.webhookDeliveryIds;
    await until(async () => (await reports()).length >= 2);
    for (const path of [till, `/payments/${id}`]) {
      const { text } = await host.dashboard.get(path);
      for (const delivery of await reports()) expect(text).toContain(`deliveries/${delivery}"`);
      expect(words(text)).toMatch(/Webhook received .* Signature verified Processed at the first/);
    }
    expect(words((await host.dashboard.get(till)).text)).toContain(
      'The listener RecordedEvents.received completed',
    );
  });

  it('says when no listener is registered for its newest event', async () => {
    await host.open({ payments: { listeners: {} } });
    const { store } = host.merchant;
    await store.events.deleteListener('default', 'RecordedEvents.failed');
    const { id } = await host.merchant.payments.request(aRequestFrom('+254700000002'));
    await until(async () => (await host.merchant.payments.find(id))!.state === 'failed');
    const { text } = await host.dashboard.get(`/payments/${id}`);
    expect(words(text)).toContain('No listener is registered for payment.failed.');
  });
});

describe('An anomaly', () => {
  const host = new DashboardHost();

  it('leads to the payment, transaction or delivery that it is about', async () => {
    await host.open();
    const { webhookUrl, simulator, store } = host.merchant;
    const post = (body: string): Promise<unknown> =>
      deliverSigned(webhookUrl, body, simulator.apiKey);
    const id = await host.paid();
    await store.anomalies.record('default', 'unknown status Waiting', id);
    await store.anomalies.record('default', `unknown status ${HOSTILE}`, 'gone');
    await post(webhookBody({ reference: 'WALKED-IN' }));
    await host.merchant.received.next('till.transaction.received');
    await post(webhookBody({ reference: 'WALKED-IN', amount: '1.0' }));
    await post(webhookBody({}, { topic: 'tomorrow' }));
    await host.dashboard.pageWith('/anomalies', 'with another amount');
    const text = await host.dashboard.pageWith('/anomalies', 'unrecognised tomorrow');
    expect(text).toContain(`payments/${id}"`);
    expect(text).toContain('transaction?till=514459&amp;reference=WALKED-IN"');
    const [, delivery] = /deliveries\/([\w-]{36})"/.exec(text)!;
    expect((await host.dashboard.get(`/deliveries/${delivery}`)).text).toContain('tomorrow');
    expect(text).not.toContain('<img');
    expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
  });
});

describe('The page of a delivery', () => {
  const host = new DashboardHost();

  it('says what it is about, with the transaction that it reports', async () => {
    await host.open();
    const { webhookUrl, simulator, received, store } = host.merchant;
    const body = webhookBody({ reference: 'WALKED-IN', status: 'Received', amount: '1234.0' });
    await deliverSigned(webhookUrl, body, simulator.apiKey);
    await received.next('till.transaction.received');
    const { items } = await store.deliveries.list('default', {}, { limit: 1 });
    const { text } = await host.dashboard.get(`/deliveries/${items[0]!.id}`);
    expect(words(text)).toMatch(
      /What it says Topic buygoods_transaction_received Reference WALKED-IN Amount KES 1,234\.00 /,
    );
    expect(text).toContain('transaction?till=514459&amp;reference=WALKED-IN"');
    expect(words(text)).toContain(`JSON · ${body.length} bytes`);
  });
});
