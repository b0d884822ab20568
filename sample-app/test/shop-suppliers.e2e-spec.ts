import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenShop, type Answer } from './shop.fixture.js';

describe('A supplier of the sample shop', () => {
  let shop: OpenShop;

  beforeAll(async () => {
    shop = await OpenShop.open();
  });

  afterAll(() => shop.close());

  const ask = (fields: Record<string, string>): Promise<Answer> => {
    const form = { ticket: randomUUID(), supplier: 'Flour Ltd', amount: '250', by: 'Jane' };
    return shop.post('/suppliers', { ...form, ...fields });
  };
  /** Returns the money that the supplier got, in cents. */
  const got = (phone: string): number => shop.simulator.balance(`mobile_wallet:${phone}`);
  const rows = async (): Promise<string[]> =>
    (await shop.get('/suppliers')).text.split('<tr>').slice(2);

  it('is paid from the till, and the open page shows it, with a part of the phone number and a link to the phone', async () => {
    const { phone, internationalPhone } = shop.customer('61');
    const seen = shop.sectionsUntil('/suppliers/events', 'Paid');
    expect(await ask({ phone, amount: '250.50' })).toMatchObject({
      status: 303,
      location: '/suppliers',
    });
    const last = (await seen).at(-1)!;
    expect(last.announcement).toBe('Latest: KES 250.50 to Flour Ltd: Paid');
    expect(last.content).toContain(`+254 7•• ••• ${phone.slice(-3)}`);
    expect(last.content).toContain(`${shop.simulator.url}/?phone=${internationalPhone}`);
    expect(got(internationalPhone)).toBe(25_050);
    expect(shop.simulator.handset(internationalPhone).inbox()).not.toHaveLength(0);
  });

  it('is paid once when the form is sent many times', async () => {
    const { phone, internationalPhone } = shop.customer('61');
    const form = { ticket: randomUUID(), phone };
    const before = (await rows()).length;
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(form)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(303));
    while (got(internationalPhone) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await ask(form);
    await shop.simulator.idle();
    expect(got(internationalPhone)).toBe(25_000);
    expect(await rows()).toHaveLength(before + 1);
    const changed = await ask({ ...form, amount: '300' });
    expect(changed.status).toBe(422);
    expect(changed.text).toContain('This form was sent before');
  });

  it('that could not be paid is shown as not paid', async () => {
    const { phone, internationalPhone } = shop.customer('62');
    shop.simulator.payout(internationalPhone, 'cancelled');
    await ask({ phone, supplier: 'Sugar Ltd' });
    await shop.confirmFailure('payout');
    const read = async (): Promise<string> =>
      (await rows()).find((row) => row.includes('Sugar Ltd')) ?? '';
    while (!(await read()).includes('Not paid'))
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(got(internationalPhone)).toBe(0);
  });

  it('is not paid the same amount again while the outcome is open', async () => {
    const { phone } = shop.customer('64');
    expect((await ask({ phone })).status).toBe(303);
    const { status, text } = await ask({ phone });
    expect(status).toBe(422);
    expect(text).toMatch(/id="phone-problem">[^<]*has no outcome yet/);
  });

  it.each([
    ['a wrong phone number', { phone: '12345' }, 'phone', 'not a valid phone number'],
    ['an amount that is no number', { amount: 'ten' }, 'amount', 'Write the amount like'],
    ['an amount of nothing', { amount: '0' }, 'amount', 'above 0'],
    ['too much money', { amount: '5000.01' }, 'amount', 'at most KES 5,000'],
    ['no name of the supplier', { supplier: ' ' }, 'supplier', 'name of the supplier'],
    ['no name of who asks', { by: '' }, 'by', 'your name'],
  ])(
    'is not paid with %s, which the page says beside the field of a form that keeps its ticket',
    async (_what, fields, field, text) => {
      const { phone, internationalPhone } = shop.customer('61');
      const ticket = randomUUID();
      const answer = await ask({ ticket, phone, ...fields });
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(new RegExp(`id="${field}-problem">[^<]*${text}`));
      expect(answer.text).toContain(ticket);
      await shop.simulator.idle();
      const numbers = shop.simulator.payouts().map(({ destinations }) => destinations[0]?.number);
      expect(numbers).not.toContain(internationalPhone);
    },
  );

  it.each<[string, Record<string, string>]>([
    ['an invented ticket', { ticket: 'x' }],
    ['a name that is too long for its field', { supplier: 'x'.repeat(81) }],
  ])('is not paid by a form that is not ours, because it has %s', async (_, fields) => {
    expect((await ask({ phone: '0700000061', ...fields })).status).toBe(400);
  });

  /** Asks for KES 1,000. @returns the phone and the path of the approval */
  const askForMuch = async (): Promise<{ phone: string; approval: string }> => {
    const { phone, internationalPhone } = shop.customer('61');
    await ask({ phone, amount: '1000' });
    const { text } = await shop.get('/suppliers');
    return {
      phone: internationalPhone,
      approval: /href="(\/suppliers\/[0-9a-f-]{36})"/.exec(text)?.[1] ?? '',
    };
  };

  it('is paid KES 1,000 or more only after a second person has approved it, once', async () => {
    const { phone, approval } = await askForMuch();
    const { text } = await shop.get(approval);
    expect(text).toContain('KES 1,000');
    expect(text).toContain(`+254 7•• ••• ${phone.slice(-3)}`);
    for (const [by, problem] of [
      ['jane', 'jane asked for this payout, so another person must approve it.'],
      ['', 'Please give your name.'],
    ] as const) {
      const refused = await shop.post(approval, { by, decision: 'approve' });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain(`id="by-problem">${problem}`);
    }
    await shop.simulator.idle();
    expect(got(phone)).toBe(0);
    const approvals = ['Peter', 'Mary', 'Peter'].map((by) =>
      shop.post(approval, { by, decision: 'approve' }),
    );
    for (const { location } of await Promise.all(approvals)) expect(location).toBe('/suppliers');
    while (got(phone) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await shop.simulator.idle();
    expect(got(phone)).toBe(100_000);
    expect((await shop.get(approval)).location).toBe('/suppliers');
  });

  it('is not paid when the second person declines', async () => {
    const { phone, approval } = await askForMuch();
    await shop.post(approval, { by: 'Peter', decision: 'decline' });
    expect((await rows())[0]).toContain('Declined');
    await shop.post(approval, { by: 'Mary', decision: 'approve' });
    await shop.simulator.idle();
    expect(got(phone)).toBe(0);
  });

  it('is not paid by the form of another site', async () => {
    const { phone } = shop.customer('61');
    const response = await fetch(`${shop.url}/suppliers`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ ticket: randomUUID(), phone, amount: '10' }),
    });
    expect(response.status).toBe(403);
  });
});
