import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../../support/deliver.js';
import { wordsOfPage } from '../../support/page.form.js';
import { cellsOf, DashboardHost } from './dashboard.fixture.js';

const DAY_MS = 86_400_000;

/** Returns the day so many days from now, in UTC. */
const day = (later = 0): string => new Date(Date.now() + later * DAY_MS).toISOString().slice(0, 10);

describe('Money at several tills', () => {
  const host = new DashboardHost();

  async function arrives(changes: Record<string, unknown>): Promise<void> {
    const { webhookUrl, simulator, received } = host.merchant;
    const body = webhookBody({ origination_time: new Date().toISOString(), ...changes });
    await deliverSigned(webhookUrl, body, simulator.apiKey);
    await received.next('till.transaction.received');
  }

  it('is in the statement of its till, also when the platform wrote the alias of the till', async () => {
    await host.open({ payments: { tillAliases: { K000123: '514459' } } }, { timeZone: 'UTC' });
    await arrives({ reference: 'ONE', till_number: '514459' });
    await arrives({ reference: 'TWO', till_number: 'K000123' });
    await arrives({ reference: 'OTHER', till_number: '000124' });
    for (const till of ['514459', 'K000123']) {
      const { text } = await host.dashboard.get(`/statement?day=${day()}&till=${till}`);
      expect(wordsOfPage(text)).toContain('In 2 KES 200.00');
    }
  });

  it('is compared with the platform for the till of the statement only', async () => {
    await host.open({}, { timeZone: 'UTC' });
    await arrives({ reference: 'ONE', till_number: '514459' });
    await arrives({ reference: 'TWO', till_number: '000124', amount: '900.0' });
    const { text } = await host.dashboard.post('/statement', { day: day(), till: '000124' });
    expect(wordsOfPage(text)).toContain('In 1 KES 900.00');
    expect(wordsOfPage(text)).toContain('Here 1 KES 900.00');
  });

  it('is in the list and in the file of its till, also when another till has the same reference', async () => {
    await host.open({}, { timeZone: 'UTC' });
    await arrives({ reference: 'SAME', till_number: '514459', amount: '100.0' });
    await arrives({ reference: 'SAME', till_number: '000124', amount: '900.0' });
    const file = async (query: string) =>
      cellsOf((await host.dashboard.get(`/transactions.csv${query}`)).text).map(
        ({ till, amount }) => `${till} ${amount}`,
      );
    expect(await file('?till=000124')).toEqual(['000124 900.00']);
    expect((await file('')).sort()).toEqual(['000124 900.00', '514459 100.00']);
    const { text } = await host.dashboard.get('/transactions?till=000124');
    expect(text).toContain('900.00');
    expect(text).not.toContain('100.00');
  });

  it('that a refund sent back is reversed on one day, also when the till reports it on the next', async () => {
    let passed = 0;
    const store = new MemoryStore(() => Date.now() + passed);
    await host.open({ payments: { store } }, { timeZone: 'UTC' });
    const { payments, refunds, received, simulator, webhookUrl } = host.merchant;
    const paymentId = await host.paid();
    const { transaction } = (await payments.find(paymentId))!;
    await refunds.request({ paymentId, idempotencyKey: 'r', why: 'broken' });
    await received.next('payment.reversed');
    const lines = async (later: number): Promise<string> =>
      wordsOfPage((await host.dashboard.get(`/statement?day=${day(later)}`)).text);
    expect(await lines(0)).toContain('Reversed 1 KES -100.00');
    const body = webhookBody(
      {
        reference: transaction!.reference,
        status: 'Reversed',
        origination_time: new Date().toISOString(),
      },
      { topic: 'buygoods_transaction_reversed' },
    );
    passed = DAY_MS;
    await deliverSigned(webhookUrl, body, simulator.apiKey);
    await received.next('till.transaction.reversed');
    expect(await lines(0)).toContain('Reversed 1 KES -100.00');
    expect(await lines(1)).toContain('Reversed 0 KES 0.00');
  });
});
