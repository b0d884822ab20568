import { beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsAccounts } from '@tillkit/payments';
import { captureLog, DashboardVisitor, type Shown } from '../../support/dashboard.visitor.js';
import { aPayout, aWallet } from '../../support/merchant.js';
import { formTo, wordsOfPage, type PageForm } from '../../support/page.form.js';
import { DashboardHost, PHONE, SECRET_DIGITS } from './dashboard.fixture.js';

type Fields = Record<string, string>;

const LIMITS = { KES: { approveFrom: '1000', perPayout: '5000', perDay: '6000' } };

const WALLET: Fields = {
  'd0.nickname': 'Jane <b>Doe</b>',
  'd0.phoneNumber': '0700 000 001',
  'd0.network': 'Safaricom',
  'd0.amount': '100.50',
  'd0.description': 'Wages & more',
};

describe('A payout by an operator', () => {
  const host = new DashboardHost();

  beforeEach(() =>
    host.open(
      {
        payments: { payouts: { limits: LIMITS } },
        simulator: { openingBalances: { '514459': 10_000 } },
      },
      { operator: (request: { headers: Record<string, string> }) => request.headers['x-operator'] },
    ),
  );

  const operator = (name: string): DashboardVisitor =>
    new DashboardVisitor(host.dashboard.url, { 'x-operator': name });
  const payouts = () => host.merchant.simulator.payouts();

  const blank = async (): Promise<Fields> =>
    formTo((await operator('jane').get('/payouts/new')).text, '/payouts/new').fields;
  const checked = async (changes: Fields = WALLET): Promise<Shown> =>
    operator('jane').post('/payouts/new', { ...(await blank()), ...changes });
  const lastForm = async (changes: Fields = WALLET): Promise<PageForm> =>
    formTo((await checked(changes)).text, '/payouts');
  const idIn = ({ location }: Shown): string => /payouts\/([\w-]{36})/.exec(location!)![1]!;

  it('repeats each destination and the sum, and then pays once', async () => {
    const jane = operator('jane');
    // The button of the form adds one destination, here of another kind.
    const more = await jane.post('/payouts/new', {
      ...(await blank()),
      ...WALLET,
      type: 'bank_account',
      add: '1',
    });
    const { fields: typed } = formTo(more.text, '/payouts/new');
    expect(typed).toMatchObject({ ...WALLET, 'd1.type': 'bank_account' });
    const bank = {
      'd1.accountName': 'Flour Ltd',
      'd1.accountNumber': '0123456789',
      'd1.bankBranchRef': 'branch',
      'd1.amount': '20',
      'd1.description': 'flour',
    };
    const page = await jane.post('/payouts/new', { ...typed, ...bank });
    const words = wordsOfPage(page.text);
    for (const shown of ['Jane <b>Doe</b>', '+254 700 000 001', 'Flour Ltd', '0123456789'])
      expect(words).toContain(shown);
    expect(words).toMatch(/KES 100\.50 .*KES 20\.00 .*Sum KES 120\.50/);
    const { fields, button } = formTo(page.text, '/payouts');
    expect(button).toBe('Pay KES 120.50 to 2 destinations');
    expect(payouts()).toEqual([]);

    const log = captureLog();
    const sent = await Promise.all([jane.post('/payouts', fields), jane.post('/payouts', fields)]);
    const id = idIn(sent[0]!);
    await host.merchant.received.next('payout.succeeded');
    const later = await jane.post('/payouts', fields);
    for (const each of [...sent, later]) expect([each.status, idIn(each)]).toEqual([303, id]);
    expect(payouts()).toHaveLength(1);
    expect(host.merchant.simulator.balance('till:514459')).toBe(1_000_000 - 12_050);
    expect(log[0]?.line).toContain(`jane asked for payout ${id} of KES 120.50`);

    const shown = await jane.get(`/payouts/${id}`);
    expect(wordsOfPage(shown.text)).toMatch(/requested by jane .*All were paid/);
    expect(wordsOfPage(shown.text)).toMatch(/Jane <b>Doe<\/b> .*paid .*Flour Ltd .*paid/);
    expect(shown.text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    const revealed = await jane.post(`/payouts/${id}/phones`);
    expect(revealed.text).toContain('+254 700 000 001');
    expect(log.at(-1)?.line).toContain(`jane looked up the phone number of payout ${id}`);
    expect((await jane.get(`/payouts/${id}/phones`)).text).not.toContain('700 000 001');
    expect(wordsOfPage((await jane.get('/payouts')).text)).toMatch(/Jane <b>Doe.* and 1 more/);
    const file = await jane.get('/payouts.csv');
    expect(file.text).toContain('Flour Ltd, Bank account •••••••789, branch');
  });

  it('can go to each kind of destination that the library has', async () => {
    const { reference } = host.merchant.simulator.merchantAccounts()[0]!;
    const kinds: Record<string, Fields> = {
      till: { tillNumber: '000124', amount: '10', description: 'goods' },
      paybill: { paybillNumber: '1', paybillAccountNumber: '2', amount: '11', description: 'p' },
      merchant_bank_account: { reference, amount: '12' },
    };
    const jane = operator('jane');
    let { fields } = formTo((await jane.get('/payouts/new')).text, '/payouts/new');
    for (const type of Object.keys(kinds)) {
      const { text } = await jane.post('/payouts/new', { ...fields, type, add: '1' });
      fields = formTo(text, '/payouts/new').fields;
    }
    // The first row, which the form begins with, is not wanted.
    const { text } = await jane.post('/payouts/new', { ...fields, remove: '0' });
    fields = formTo(text, '/payouts/new').fields;
    Object.values(kinds).forEach((values, index) => {
      for (const [name, value] of Object.entries(values)) fields[`d${index}.${name}`] = value;
    });
    const page = await jane.post('/payouts/new', fields);
    await jane.post('/payouts', formTo(page.text, '/payouts').fields);
    const { payout } = await host.merchant.received.next('payout.succeeded');
    expect(payout.destinations.map(({ type }) => type)).toEqual(Object.keys(kinds));
    expect(payout.amount.value).toBe('33.00');
  });

  it('keeps what was typed, and says what is wrong with each field', async () => {
    const wrong = { ...WALLET, 'd0.phoneNumber': '12', 'd0.amount': '-1', currency: 'shilling' };
    const page = await checked(wrong);
    expect(page.status).toBe(400);
    for (const text of [
      'Write a mobile number, such as +254700000000.',
      'Write an amount above 0',
      'Write the code of a currency',
    ])
      expect(page.text).toContain(text);
    expect(formTo(page.text, '/payouts/new').fields).toMatchObject(wrong);
    const none = await operator('jane').post('/payouts/new', {
      ...(await blank()),
      'd0.type': '',
    });
    expect(none.text).toContain('A payout without one would send all money.');
    const control = await checked({ ...WALLET, 'd0.description': 'a\u0007bell' });
    expect(control.status).toBe(400);
    expect(payouts()).toEqual([]);
  });

  it('is refused when anything is changed between its page and its button', async () => {
    const { fields } = await lastForm();
    const changed: Fields[] = [
      { 'd0.amount': '1000' },
      { 'd0.phoneNumber': '+254700000061' },
      { currency: 'UGX' },
      { source: 'another' },
      { 'd1.type': 'till', 'd1.tillNumber': '1', 'd1.amount': '1', 'd1.description': 'x' },
      { seal: '' },
    ];
    for (const changes of changed) {
      const { status, text } = await operator('jane').post('/payouts', { ...fields, ...changes });
      expect({ changes, status }).toEqual({ changes, status: 409 });
      expect(text).toContain('The form is not what its page has shown');
    }
    expect(payouts()).toEqual([]);
  });

  it('is refused with the key of a form that was used for another one', async () => {
    const jane = operator('jane');
    const { fields } = await lastForm();
    await jane.post('/payouts', fields);
    const others: Fields[] = [
      { 'd0.amount': '101' },
      { 'd0.description': 'other wages' },
      { 'd0.network': 'Airtel' },
    ];
    for (const changes of others) {
      const page = await jane.post('/payouts/new', { ...fields, ...changes });
      const again = await jane.post('/payouts', formTo(page.text, '/payouts').fields);
      expect(again.status).toBe(409);
      expect(again.text).toContain('This form was used before');
    }
    expect(payouts()).toHaveLength(1);
  });

  it('is refused in plain words when an equal one was just paid, above a limit, or while sending is paused', async () => {
    const jane = operator('jane');
    await jane.post('/payouts', (await lastForm()).fields);
    await host.merchant.received.next('payout.succeeded');
    const equal = await jane.post('/payouts', (await lastForm()).fields);
    expect(equal.status).toBe(409);
    expect(wordsOfPage(equal.text)).toContain('Another payout sends the same amount');
    expect(formTo(equal.text, '/payouts/new').fields).toMatchObject(WALLET);
    const large = await checked({ ...WALLET, 'd0.amount': '5000.01' });
    expect(large.status).toBe(409);
    expect(wordsOfPage(large.text)).toContain('This payout is above a limit.');
    const accounts = host.merchant.app.get(PaymentsAccounts);
    const { fields } = await lastForm({ ...WALLET, 'd0.amount': '7' });
    await accounts.pause({ account: 'default', by: 'joe', note: 'a restore' });
    const paused = await jane.post('/payouts', fields);
    expect(wordsOfPage(paused.text)).toContain('Sending is paused by joe : a restore');
    expect(payouts()).toHaveLength(1);
  });

  it('above the limit is approved by nobody whose name is not known, because that may be the same person', async () => {
    const jane = operator('jane');
    const { fields } = await lastForm({ ...WALLET, 'd0.amount': '1000' });
    const id = idIn(await jane.post('/payouts', fields));
    const nameless = await host.dashboard.post(`/payouts/${id}/approve`);
    expect(nameless.status).toBe(409);
    expect(nameless.text).toContain('does not say who you are');
    expect((await host.merchant.payouts.find(id))?.awaitsApproval).toBe(true);
    // Nor does somebody without a name ask for what a second person would approve.
    const asked = await host.dashboard.post('/payouts/new', {
      ...(await blank()),
      ...WALLET,
      'd0.amount': '1000',
    });
    expect(asked.status).toBe(400);
    expect(wordsOfPage(asked.text)).toContain('each who asks must be named');
    expect(payouts()).toEqual([]);
  });

  it('above the limit waits for a second person, who sends it once', async () => {
    const jane = operator('jane');
    const { fields, button } = await lastForm({ ...WALLET, 'd0.amount': '1000' });
    expect(button).toBe('Ask for approval to pay KES 1,000.00 to Jane <b>Doe</b>');
    const asked = await jane.post('/payouts', fields);
    const id = idIn(asked);
    expect(asked.location).toContain('notice=payout-awaits');
    expect((await jane.get(`/payouts/${id}`)).text).toContain(`payouts/${id}/approve`);

    const own = await jane.post(`/payouts/${id}/approve`);
    expect(own.status).toBe(409);
    expect(own.text).toContain('You asked for this payout. Another person must approve it.');
    expect(payouts()).toEqual([]);

    const joe = operator('joe');
    const page = await joe.get(`/payouts/${id}/approve`);
    expect(wordsOfPage(page.text)).toMatch(/\+254 700 000 001 .*1,000\.00 .*Requested by jane/);
    const form = formTo(page.text, `/payouts/${id}/approve`);
    expect(form.button).toBe('Approve and pay KES 1,000.00 to 1 destination');
    const log = captureLog();
    const both = await Promise.all([joe.post(form.path), joe.post(form.path)]);
    await host.merchant.received.next('payout.succeeded');
    both.push(await joe.post(form.path));
    for (const { location } of both) expect(location).toContain('notice=payout-approved');
    expect(payouts()).toHaveLength(1);
    expect(log[0]?.line).toContain(`joe approved payout ${id} of KES 1,000.00`);
    const late = await operator('ann').post(form.path);
    expect(late.status).toBe(409);
    expect(wordsOfPage((await joe.get(`/payouts/${id}`)).text)).toMatch(
      /requested by jane .*approved by joe/,
    );
  });

  it('that waits can be declined with a reason, and then is never sent', async () => {
    const { id } = await host.merchant.payouts.request(
      aPayout({ destinations: [aWallet(PHONE, '1000')], requestedBy: 'jane' }),
    );
    const joe = operator('joe');
    expect((await joe.post(`/payouts/${id}/decline`, { note: ' ' })).status).toBe(400);
    const declined = await joe.post(`/payouts/${id}/decline`, { note: 'no <i>such</i> invoice' });
    expect(declined.location).toContain('notice=payout-declined');
    // This is the second click of a double click.
    const again = await joe.post(`/payouts/${id}/decline`, { note: 'no <i>such</i> invoice' });
    expect(again.location).toBe(declined.location);
    expect((await joe.post(`/payouts/${id}/decline`, { note: 'another' })).status).toBe(409);
    const { text } = await joe.get(`/payouts/${id}`);
    expect(wordsOfPage(text)).toContain('declined by joe: no <i>such</i> invoice');
    expect((await joe.post(`/payouts/${id}/approve`)).status).toBe(409);
    expect((await joe.get(`/payouts/${id}/approve`)).text).not.toContain('Approve and pay');
    expect(payouts()).toEqual([]);
    for (const path of ['/payouts/none', '/payouts/none/approve'])
      expect((await joe.get(path)).status).toBe(404);
  });

  it('shows whole numbers only to who can still decide, with a line in the audit log for each look', async () => {
    const asked = aPayout({ destinations: [aWallet(PHONE, '1000')], requestedBy: 'jane' });
    const { id } = await host.merchant.payouts.request(asked);
    const [joe, ann] = [operator('joe'), operator('ann')];
    const log = captureLog();
    expect((await host.dashboard.post(`/payouts/${id}/approve`)).text).toContain('700 000 001');
    expect((await joe.get(`/payouts/${id}/approve`)).text).toContain('700 000 001');
    const looks = log.filter(({ line }) => line.includes(`number of payout ${id}, to approve it`));
    expect(looks).toHaveLength(2);
    await joe.post(`/payouts/${id}/approve`);
    await host.merchant.received.next('payout.succeeded');
    const late = [
      await ann.get(`/payouts/${id}/approve`),
      await ann.post(`/payouts/${id}/approve`),
      await ann.post(`/payouts/${id}/decline`, { note: 'late' }),
    ];
    for (const { text } of late) expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
  });
});
