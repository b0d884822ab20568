import { describe, expect, it } from '@jest/globals';
import { captureLog } from '../../support/dashboard.visitor.js';
import { aPayout, aRequestFrom, aWallet } from '../../support/merchant.js';
import { wordsOfPage } from '../../support/page.form.js';
import { requestsTo } from '../../support/platform.requests.js';
import { DashboardHost, PERSON, PHONE } from './dashboard.fixture.js';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Ecalled +254700000001';

describe('The page of an operation', () => {
  const host = new DashboardHost();
  const open = (payments = {}): Promise<void> =>
    host.open(
      { payments, simulator: { openingBalances: { '514459': 10_000 } } },
      { operator: () => 'jane' },
    );

  it('takes notes, which are lines of the timeline and change nothing else', async () => {
    await open();
    const { store, received } = host.merchant;
    const id = await host.paid();
    const before = (await host.merchant.payments.find(id))!;
    const log = captureLog();
    const written = await host.dashboard.post(`/operations/${id}/note`, { note: HOSTILE });
    expect(written.location).toBe(`${host.dashboard.url}/payments/${id}?notice=noted`);
    expect(log.map(({ line }) => line)).toEqual([
      `dashboard of account default: jane wrote a note on payment ${id}`,
    ]);
    const { text } = await host.dashboard.get(`/payments/${id}`);
    expect(wordsOfPage(text)).toContain(
      'jane: <img src=x onerror=alert(1)> <U+202E>called +••••••••••01',
    );
    expect(text).not.toContain('<img src=x');
    expect(text.replace(/\s/g, '')).not.toContain('700000001');
    const after = await host.merchant.payments.find(id);
    expect({ ...after, updatedAt: null }).toEqual({ ...before, updatedAt: null });
    expect(received.named('payment.succeeded')).toHaveLength(1);
    const history = await store.operations.history('default', id);
    for (const note of ['', ' ', 'x'.repeat(501), 'a\u0007bell'])
      expect((await host.dashboard.post(`/operations/${id}/note`, { note })).status).toBe(400);
    expect(await store.operations.history('default', id)).toHaveLength(history.length);
    expect((await host.dashboard.post('/operations/none/note', { note: 'x' })).status).toBe(404);
  });

  it('reads the status once, and says what came of it', async () => {
    await open({ reconciliation: false });
    const { simulator, payments } = host.merchant;
    const { id, platformId } = await payments.request(aRequestFrom(PERSON));
    const reads = (): number =>
      requestsTo(simulator, `/incoming_payments/${platformId}`, { method: 'GET' }).length;
    const before = reads();
    const log = captureLog();
    const same = await host.dashboard.post(`/operations/${id}/status`);
    expect(same.location).toBe(`${host.dashboard.url}/payments/${id}?notice=status-same`);
    expect(reads()).toBe(before + 1);
    expect(log[0]?.line).toContain(`jane asked for the status of payment ${id}`);
    const { text } = await host.dashboard.get(`/payments/${id}?notice=status-same`);
    expect(text).toContain('The platform was asked. It says nothing new.');
    expect(wordsOfPage(text)).toContain('jane: asked the platform for the status');
  });

  it('says that the platform gave no answer, and changes nothing', async () => {
    await open({ reconciliation: false });
    const { id } = await host.merchant.payments.request(aRequestFrom(PERSON));
    await host.merchant.simulator.stop();
    const { location } = await host.dashboard.post(`/operations/${id}/status`);
    expect(location).toMatch(/notice=status-(unanswered|asked)$/);
    expect((await host.merchant.payments.find(id))?.state).toBe('pending');
  });

  it('of a payout in review takes a decision about each destination', async () => {
    await open();
    const { store, payouts } = host.merchant;
    const { id } = await payouts.request(
      aPayout({ destinations: [aWallet(PHONE, '10'), aWallet('+254700000063', '20')] }),
    );
    const record = async () => (await store.operations.find('default', id))!;
    await host.merchant.simulator.idle();
    const current = await record();
    if (current.state !== 'needs_review') {
      // Whatever the simulator has answered: a person must decide now.
      const { version } = current;
      await store.ledger.commit({
        account: 'default',
        operation: {
          id,
          version,
          set: { state: 'needs_review', cause: 'unmatched_results', outcome: null },
        },
        events: [],
        history: [],
      });
    }
    const page = await host.dashboard.get(`/payouts/${id}`);
    expect(wordsOfPage(page.text)).toContain('Some destinations were paid');
    const note = 'the statement shows one';
    const decide = (fields: [string, string][]) =>
      host.dashboard.post(`/operations/${id}/review`, [...fields, ['note', note]]);
    expect((await decide([['state', 'reversed']])).status).toBe(409);
    expect((await decide([['state', 'partially_succeeded']])).status).toBe(409);
    expect((await record()).state).toBe('needs_review');
    const decided = await decide([
      ['state', 'partially_succeeded'],
      ['paid', '0'],
    ]);
    expect(decided.location).toContain(`/payouts/${id}?notice=resolved`);
    // The second click of a double click changes nothing, and neither does somebody who decides otherwise, too late.
    const again = await decide([
      ['state', 'partially_succeeded'],
      ['paid', '0'],
    ]);
    expect(again.location).toBe(decided.location);
    expect((await decide([['state', 'failed']])).status).toBe(409);
    expect((await payouts.find(id))?.destinations.map(({ state }) => state)).toEqual([
      'paid',
      'failed',
    ]);
    expect(wordsOfPage((await host.dashboard.get(`/payouts/${id}`)).text)).toContain(
      `resolved as partially_succeeded by jane: ${note}`,
    );
  });

  it('is not found in the lists and pages of another kind', async () => {
    await open();
    const id = await host.paid();
    for (const path of ['payouts', 'refunds', 'payment-links']) {
      expect((await host.dashboard.get(`/${path}/${id}`)).status).toBe(404);
      const list = await host.dashboard.get(`/${path}?state=failed&after=`);
      expect(list.status).toBe(200);
      expect(list.text).not.toContain(id);
    }
  });
});
