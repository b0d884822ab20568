import { beforeEach, describe, expect, it } from '@jest/globals';
import { captureLog } from '../../support/dashboard.visitor.js';
import { deliver, deliverSigned, webhookBody } from '../../support/deliver.js';
import { wordsOfPage } from '../../support/page.form.js';
import { DashboardHost, PHONE, SECRET_DIGITS } from './dashboard.fixture.js';

describe('The pages of deliveries', () => {
  const host = new DashboardHost();

  beforeEach(() => host.open());

  const post = (body: string | Buffer) =>
    deliverSigned(host.merchant.webhookUrl, body, host.merchant.simulator.apiKey);

  it('show a delivery, mask its body until the operator asks, and reprocess it', async () => {
    const body = webhookBody({}, { topic: 'tomorrow', note: 'call 0700 000 001' });
    await post(body.replace('+254700000099', PHONE));
    await host.merchant.received.next('delivery.unrecognised');
    const list = await host.dashboard.get('/deliveries?state=unrecognised');
    const [, id] = /deliveries\/([\w-]{36})"/.exec(list.text)!;
    const page = await host.dashboard.get(`/deliveries/${id}`);
    expect(page.text).toContain('tomorrow');
    expect(page.text).toContain('Signature verified');
    expect(page.text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    const log = captureLog();
    const shown = await host.dashboard.post(`/deliveries/${id}/body`);
    expect(shown.text).toContain(PHONE);
    expect(log.map(({ line }) => line)).toEqual([
      `dashboard of account default: unknown operator looked up the phone number of the customer in delivery ${id}`,
    ]);
    const replayed = await host.dashboard.post(`/deliveries/${id}/replay`);
    expect(replayed.status).toBe(303);
    expect(replayed.location).toBe(
      `${host.dashboard.url}/deliveries/${id}?notice=delivery-replayed`,
    );
    await host.dashboard.pageWith('/deliveries?state=unrecognised', id!);
    expect((await host.dashboard.post('/deliveries/none/replay')).status).toBe(404);
  });

  it('name who reprocessed a callback in the history of its payment', async () => {
    const id = await host.paid();
    const { items } = await host.merchant.store.deliveries.list(
      'default',
      { resourceId: id },
      { limit: 1 },
    );
    await host.dashboard.post(`/deliveries/${items[0]!.id}/replay`);
    const { text } = await host.dashboard.get(`/payments/${id}`);
    expect(wordsOfPage(text)).toContain(`unknown operator: reprocessed delivery ${items[0]!.id}`);
  });

  it('list an unrecognised delivery as an anomaly', async () => {
    await post(webhookBody({}, { topic: 'tomorrow' }));
    await host.merchant.received.next('delivery.unrecognised');
    const { text } = await host.dashboard.get('/anomalies');
    expect(text).toContain('unrecognised tomorrow');
    expect(text).toContain('deliveries?state=unrecognised');
  });

  it('list the deliveries of a time, and say when there are none in it', async () => {
    await post(webhookBody({}, { topic: 'tomorrow' }));
    await host.merchant.received.next('delivery.unrecognised');
    const listed = async (query: string): Promise<string> =>
      (await host.dashboard.get(`/deliveries?${query}`)).text;
    expect(await listed('from=2020-01-01')).toMatch(/deliveries\/[\w-]{36}"/);
    expect(await listed('to=2020-01-01')).toContain('No deliveries match.');
    expect(await listed('from=2100-01-01&state=unrecognised')).toContain('No deliveries match.');
    const file = await host.dashboard.get('/deliveries.csv?to=2020-01-01');
    expect(file.text.trim().split('\n')).toHaveLength(1);
  });

  it('do not contain a forged delivery', async () => {
    const answer = await deliver(host.merchant.webhookUrl, webhookBody(), {
      'x-kopokopo-signature': '0'.repeat(64),
    });
    expect(answer.status).toBe(401);
    expect((await host.dashboard.get('/deliveries')).text).toContain('No deliveries.');
    expect((await host.dashboard.get('/transactions')).text).toContain('No transactions.');
  });

  it('show a body that is not text as a hex dump when the operator asks', async () => {
    await post(Buffer.from([0, 255, 60, 115, 99, 114, 105, 112, 116, 62, 7]));
    await host.merchant.received.next('delivery.unrecognised');
    const list = await host.dashboard.get('/deliveries');
    const [, id] = /deliveries\/([\w-]{36})"/.exec(list.text)!;
    const hidden = await host.dashboard.get(`/deliveries/${id}`);
    expect(hidden.text).toContain('The body is not text.');
    expect(hidden.text).not.toContain('00 ff 3c');
    const { text } = await host.dashboard.post(`/deliveries/${id}/body`);
    expect(text).toContain('000000  00 ff 3c 73 63 72 69 70 74 3e 07');
    expect(text).toContain('..&lt;script&gt;.');
  });
});
