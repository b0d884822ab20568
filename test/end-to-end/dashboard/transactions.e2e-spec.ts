import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { captureLog } from '../../support/dashboard.visitor.js';
import { until } from '../../support/until.js';
import { cellsOf, DashboardHost, SECRET_DIGITS } from './dashboard.fixture.js';

const HASH = createHash('sha256').update('254700000001').digest();

describe('The pages of transactions', () => {
  const host = new DashboardHost();

  it('show the transactions of a till, and the payer’s phone number when the operator asks', async () => {
    await host.open();
    const id = await host.paid();
    const reference = (await host.merchant.payments.find(id))!.transaction!.reference!;
    const list = await host.dashboard.get('/transactions');
    expect(list.text).toContain(reference);
    expect(list.text).toContain(`payments/${id}`);
    expect(list.text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    const path = `/transaction?till=514459&reference=${reference}`;
    expect((await host.dashboard.get(path)).text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    const log = captureLog();
    const shown = await host.dashboard.post('/transaction/phone', { till: '514459', reference });
    expect(shown.text).toContain('+254 700 000 001');
    expect(log[0]?.line).toContain(`looked up the phone number of transaction ${reference}`);
    expect((await host.dashboard.get('/transactions?reference=other')).text).toContain(
      'No transactions match.',
    );
    expect((await host.dashboard.get('/transactions?from=soon')).status).toBe(400);
    expect((await host.dashboard.get('/transaction?till=1&reference=2')).status).toBe(404);
    expect((await host.dashboard.get('/transaction')).status).toBe(404);
  });

  it('list of one reference at two tills only the money that fits the filter, also in the file', async () => {
    await host.open();
    const id = await host.paid();
    const reference = (await host.merchant.payments.find(id))!.transaction!.reference!;
    const other = webhookBody({ reference, amount: '7.0', till_number: '700007' });
    await deliverSigned(host.merchant.webhookUrl, other, host.merchant.simulator.apiKey);
    await until(async () => (await sums(reference)).length === 2);
    for (const [filter, tills] of [
      ['', ['514459', '700007']],
      ['?state=unmatched', ['700007']],
      ['?state=matched', ['514459']],
      ['?amountFrom=7&amountTo=7', ['700007']],
      ['?till=514459', ['514459']],
    ] as const) {
      const { text } = await host.dashboard.get(`/transactions.csv${filter}`);
      const found = cellsOf(text).map(({ till }) => till);
      expect({ filter, tills: found }).toEqual({ filter, tills });
    }
  });

  const sums = async (reference: string) =>
    (await host.merchant.store.transactions.find('default', reference))!.sums;

  it('name the payment link that a transaction paid', async () => {
    await host.open();
    const { webhookUrl, simulator, received, store } = host.merchant;
    await deliverSigned(webhookUrl, webhookBody({ reference: 'LINKED' }), simulator.apiKey);
    await received.next('till.transaction.received');
    const { sums, version, reference } = (await store.transactions.find('default', 'LINKED'))!;
    const owned = sums.map((sum) => ({ ...sum, paymentLinkId: 'the-link' }));
    const transaction = { reference, version, sums: owned };
    await store.ledger.commit({ account: 'default', transaction, events: [], history: [] });
    const path = '/transaction?till=514459&reference=LINKED';
    for (const page of ['/transactions', path])
      expect((await host.dashboard.get(page)).text).toMatch(/Payment link\b.*the-link/s);
  });

  it('show the last digits of a card and whether its money was settled, and the name of a sending till', async () => {
    await host.open();
    const { webhookUrl, simulator, received } = host.merchant;
    const nobody = { sender_first_name: null, sender_last_name: null, sender_phone_number: null };
    const card = { reference: 'CARD1', customer_cc_number: '4111111111111111', settled: true };
    const till = { reference: 'TILL1', sending_till: 'Corner Shop' };
    for (const [topic, resource] of [
      ['card_transaction_received', card],
      ['b2b_transaction_received', till],
    ] as const) {
      const body = webhookBody({ ...nobody, ...resource }, { topic });
      await deliverSigned(webhookUrl, body, simulator.apiKey);
      await received.next(
        'till.transaction.received',
        ({ transaction }) => transaction.reference === resource.reference,
      );
    }
    const { text } = await host.dashboard.get('/transaction?till=514459&reference=CARD1');
    expect(text).toMatch(/Card<[^]*ends in 1111[^]*Settled<[^]*yes/);
    expect(text).not.toContain('41111111');
    expect((await host.dashboard.get('/transactions')).text).toContain('Corner Shop');
  });

  it.each([
    ['hex', HASH.toString('hex')],
    ['base64', HASH.toString('base64')],
  ])('and deliveries hide the hash of a payer’s phone number in %s', async (_, hash) => {
    await host.open();
    const { webhookUrl, simulator, received } = host.merchant;
    const body = webhookBody({ hashed_sender_phone: hash, sender_phone_number: null });
    await deliverSigned(webhookUrl, body, simulator.apiKey);
    const { transaction } = await received.next('till.transaction.received');
    const path = `/transaction?till=${transaction.tillNumber}&reference=${transaction.reference}`;
    const list = await host.dashboard.get('/deliveries');
    const [, id] = /deliveries\/([\w-]{36})"/.exec(list.text)!;
    for (const page of [path, `/deliveries/${id}`]) {
      const { text } = await host.dashboard.get(page);
      expect(text).toContain('hashed_sender_phone');
      expect(text).not.toContain(hash.slice(0, 20));
    }
    expect((await host.dashboard.post(`/deliveries/${id}/body`)).text).toContain(hash.slice(0, 20));
  });
});
