import { Injectable, Logger } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import {
  MemoryStore,
  OnPaymentEvent,
  StoreUnavailableError,
  type PaymentsEvents,
} from '@tillkit/payments';
import { captureLog, DashboardVisitor, linksOf, type Shown } from '../support/dashboard.visitor.js';
import { deliver, deliverSigned, resultBody, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant, type MerchantOptions } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const PHONE = '+254700000001';
const SECRET_DIGITS = '700000001';

/** The handset scenario: the prompt waits for a person. */
const PERSON = '+254700000014';

@Injectable()
class Unwilling {
  isWilling = false;
  readonly heard: string[] = [];

  @OnPaymentEvent('payment.succeeded')
  paid({ eventId, payment }: PaymentsEvents['payment.succeeded']): void {
    if (!this.isWilling) throw new Error(`no room for ${payment.subscriber.phoneNumber} <b>`);
    this.heard.push(eventId);
  }
}

/** A store whose database goes away. */
class LeavingStore extends MemoryStore {
  isAway = false;

  override async listPayments(...given: Parameters<MemoryStore['listPayments']>) {
    this.assertHere();
    return super.listPayments(...given);
  }

  override async statistics(...given: Parameters<MemoryStore['statistics']>) {
    this.assertHere();
    return super.statistics(...given);
  }

  override async findPayment(...given: Parameters<MemoryStore['findPayment']>) {
    this.assertHere();
    return super.findPayment(...given);
  }

  private assertHere(): void {
    if (this.isAway) throw new StoreUnavailableError('no connection to 10.0.0.7');
  }
}

describe.each(PLATFORMS)('the dashboard on $platform', (platform: Platform) => {
  let merchant: Merchant;
  let dashboard: DashboardVisitor;

  const open = async (options: Partial<MerchantOptions> = {}): Promise<void> => {
    merchant = await Merchant.open({
      platform,
      ...options,
      imports: [PaymentsDashboardModule.forRoot({ unguarded: 'anyone may see every payment' })],
    });
    dashboard = new DashboardVisitor(`${merchant.url}/payments-dashboard`);
  };

  afterEach(async () => {
    await merchant.close();
    Logger.overrideLogger(false);
  });

  const paid = async (changes: Parameters<typeof aRequest>[0] = {}): Promise<string> => {
    const { id } = await merchant.payments.request(aRequest(changes));
    await merchant.heard.next('payment.succeeded', ({ payment }) => payment.id === id);
    return id;
  };

  /** Every payment that a page of the list shows. */
  const listed = ({ text }: Shown): string[] =>
    [...text.matchAll(/href="[./]*payments\/([\w-]{36})"/g)].map(([, id]) => id as string);

  describe('finds a payment', () => {
    beforeEach(() => open());

    it.each([
      ['the phone number in the international form', '+254700000001'],
      ['the same without its plus', '254700000001'],
      ['the same with spaces and dashes', '+254 700-000 001'],
      ['the phone number as people write it', '0700 000 001'],
      ['the phone number without anything before it', '700000001'],
    ])('by %s, in one field, and the number stands in no address', async (_, words) => {
      const id = await paid();
      const { id: other } = await merchant.payments.request(aRequestFrom(PERSON));
      const found = await dashboard.post('/find', { words });
      expect(found.status).toBe(200);
      expect(listed(found)).toEqual([id]);
      expect(listed(found)).not.toContain(other);
      expect(linksOf(found.text).join().replace(/\D/g, '')).not.toContain(SECRET_DIGITS);
    });

    it('by its id, its key, its id at the platform and the reference of its money', async () => {
      const id = await paid({ idempotencyKey: 'order 17/1' });
      const payment = await merchant.payments.find(id);
      for (const words of [
        id,
        'order 17/1',
        payment!.platformId!,
        payment!.transaction!.reference!,
      ]) {
        const { status, location } = await dashboard.post('/find', { words });
        expect({ words, status, location }).toEqual({
          words,
          status: 303,
          location: `${dashboard.url}/payments/${id}`,
        });
      }
    });

    it('by the reference of money that is no payment’s', async () => {
      await deliverSigned(
        merchant.payments.webhookUrl(),
        webhookBody({ reference: 'WALKED-IN' }),
        merchant.simulator.apiKey,
      );
      await merchant.heard.next('till.transaction.received');
      const { location } = await dashboard.post('/find', { words: 'WALKED-IN' });
      expect(location).toBe(`${dashboard.url}/transactions?reference=WALKED-IN`);
      const page = await dashboard.get('/transaction?till=514459&reference=WALKED-IN');
      expect(page.text).toContain('no payment of ours');
      expect(page.text).toContain('Event till.transaction.received');
    });

    it('or says that there is none, without repeating a number', async () => {
      const none = await dashboard.post('/find', { words: 'tel:+254700000009' });
      expect(none.status).toBe(404);
      expect(none.text).toContain('Nothing found');
      expect(none.text).not.toContain('700000009');
      expect((await dashboard.post('/find')).location).toBe(`${dashboard.url}/payments`);
      expect((await dashboard.post('/find', { words: 'x\u0000y' })).status).toBe(404);
    });

    it('by state, key, reference and time, at an address that can be shared', async () => {
      const id = await paid({ idempotencyKey: 'a' });
      const waiting = await merchant.payments.request(
        aRequestFrom(PERSON, { idempotencyKey: 'b' }),
      );
      const { transaction } = (await merchant.payments.find(id))!;
      const [past, future] = ['2020-01-01', '2120-01-01T12:30'];
      const ids = async (fields: [string, string][]): Promise<string[]> => {
        const { status, location } = await dashboard.post('/payments/search', fields);
        expect(status).toBe(303);
        return listed(await dashboard.get(location!.slice(dashboard.url.length)));
      };
      expect(await ids([['state', 'succeeded']])).toEqual([id]);
      expect(await ids([['state', 'pending']])).toEqual([waiting.id]);
      expect(
        await ids([
          ['state', 'succeeded'],
          ['state', 'pending'],
        ]),
      ).toEqual([waiting.id, id]);
      expect(await ids([['key', 'b']])).toEqual([waiting.id]);
      expect(await ids([['reference', transaction!.reference!]])).toEqual([id]);
      expect(await ids([['from', future]])).toEqual([]);
      expect(
        await ids([
          ['from', past],
          ['to', future],
        ]),
      ).toHaveLength(2);
      expect(await ids([['to', past]])).toEqual([]);
    });

    it('by phone and state at once, in a page that is the answer itself', async () => {
      const id = await paid();
      const found = await dashboard.post('/payments/search', {
        phone: '0700000001',
        state: 'succeeded',
      });
      expect(listed(found)).toEqual([id]);
      const none = await dashboard.post('/payments/search', {
        phone: '0700000001',
        state: 'failed',
      });
      expect(listed(none)).toEqual([]);
      expect(none.text).toContain('No payment is like this.');
    });

    it('not by a number in an address, which a log would keep', async () => {
      await paid();
      const { text } = await dashboard.get('/payments?phone=%2B254700000009');
      expect(text).toContain('Jane Doe');
      expect(text).not.toContain('700000009');
    });

    it('page by page, also those of one phone', async () => {
      for (let n = 0; n < 52; n += 1) {
        await merchant.payments.request(aRequestFrom(PERSON, { allowParallel: true }));
      }
      const first = await dashboard.get('/payments');
      expect(listed(first)).toHaveLength(50);
      const next = linksOf(first.text).find((link) => link.includes('after='));
      const second = await dashboard.get(`/${next!.slice(2)}`);
      expect(listed(second)).toHaveLength(2);
      expect(second.text).toContain('First page');
      expect(new Set([...listed(first), ...listed(second)]).size).toBe(52);

      const byPhone = await dashboard.post('/payments/search', { phone: PERSON });
      expect(listed(byPhone)).toHaveLength(50);
      const [, after] = /name="after" value="([^"]+)"/.exec(byPhone.text)!;
      const rest = await dashboard.post('/payments/search', { phone: PERSON, after: after! });
      expect(listed(rest)).toEqual(listed(second));
    });

    it.each([
      ['phone', '12', 'This is no phone number'],
      ['phone', 'x'.repeat(5_000), 'This is no phone number'],
      ['from', 'yesterday', 'This is no date'],
      ['to', '2026-02-31', 'This is no date'],
      ['state', 'rich', 'There is no such state'],
      ['key', '\u0000', 'too long, or has characters'],
      ['reference', 'x'.repeat(600), 'too long, or has characters'],
    ])(
      'not by a wrong %s, which is marked while the other fields stay',
      async (field, value, words) => {
        await paid();
        const { status, text } = await dashboard.post('/payments/search', [
          [field, value],
          ['platformId', 'kept "as it was"'],
        ]);
        expect(status).toBe(400);
        expect(text).toContain(words);
        expect(text).toContain('value="kept &quot;as it was&quot;"');
        expect(text).toContain('Nothing was searched for');
        expect(text).not.toContain('Jane Doe');
      },
    );
  });

  describe('shows one payment', () => {
    beforeEach(() => open());

    it('with everything that happened to it, by which road, and who heard', async () => {
      // A person pays after the platform has answered: a callback that overtakes the answer has another way.
      const { id } = await merchant.payments.request(aRequestFrom(PERSON));
      const handset = merchant.simulator.handset(PERSON);
      while (!handset.prompts().some(({ state }) => state === 'open')) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      handset.approve();
      await merchant.heard.next('payment.succeeded');
      const text = await dashboard.pageWith(`/payments/${id}`, 'Heard.succeeded heard it');
      const words = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
      expect(words).toMatch(
        /Recorded by request .* Sent to the platform by request .* Taken by the platform: the phone shows the prompt by request .* Paid by callback .* Event payment\.succeeded by callback .* Heard\.succeeded heard it/,
      );
      expect(words).toMatch(/pending to succeeded/);
      expect(words).toMatch(/heard it .* at the first attempt/);
      expect(words).toMatch(/ms after recording|\d s after recording/);
      expect(text).toMatch(/<time datetime="20\d\d-\d\d-\d\dT[\d:.]+Z">/);
      expect(words).toContain('KES 100.00');
      const payment = await merchant.payments.find(id);
      expect(words).toContain(payment!.transaction!.reference!);
      expect(words).toContain(payment!.platformId!);
    });

    it('with the platform’s words and ours on a failure', async () => {
      const { id } = await merchant.payments.request(aRequestFrom('+254700000002'));
      await merchant.heard.next('payment.failed');
      const { text } = await dashboard.get(`/payments/${id}`);
      expect(text).toContain('Why: cancelled on the phone.');
      expect(text).toMatch(/<ul>\s*<li><bdi>.*cancelled/i);
    });

    it('with its number masked until it is asked for, and logs who asks', async () => {
      const id = await paid({
        idempotencyKey: `order of 254700000001`,
        metadata: { callHim: 'on 0700 000 001', mail: 'or +254700000001' },
      });
      const log = captureLog();
      const masked = await dashboard.get(`/payments/${id}`);
      const list = await dashboard.get('/payments');
      for (const { text } of [masked, list]) {
        expect(text).toContain('+254 7•• ••• •01');
        expect(text).toContain('phone number ending in 0 1');
        expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
      }
      expect(log).toEqual([]);
      const shown = await dashboard.post(`/payments/${id}/phone`);
      expect(shown.status).toBe(200);
      expect(shown.text).toContain('+254 700 000 001');
      expect(shown.headers.get('cache-control')).toBe('no-store');
      expect(log).toEqual([
        {
          level: 'log',
          line: `dashboard of account default: unknown operator looked up the phone number of payment ${id}`,
        },
      ]);
      expect((await dashboard.get(`/payments/${id}/phone`)).text).not.toContain('700 000 001');
    });

    it('and logs a search by number as a look-up, never with the number', async () => {
      await paid();
      const log = captureLog();
      await dashboard.post('/find', { words: PHONE });
      await dashboard.post('/payments/search', { phone: '0700000001' });
      const line =
        'dashboard of account default: unknown operator searched payments by phone number +254 7•• ••• •01';
      expect(log.map((entry) => entry.line)).toEqual([line, line]);
    });

    it('that needs a person, whose word settles it and is written down', async () => {
      const { id, platformId } = await merchant.payments.request(aRequestFrom(PERSON));
      const { payments, simulator } = merchant;
      const url = payments.webhookUrl().replace('webhooks', `callbacks/incoming-payments/${id}`);
      const less = { reference: 'ANOTHER', amount: '99.0', sender_phone_number: PERSON };
      const body = resultBody(platformId!, url, {}, less);
      await deliverSigned(url, body, simulator.apiKey);
      await merchant.heard.next('payment.needs_review');
      expect((await dashboard.get('/overview')).text).toContain('Wants a person');
      const page = await dashboard.get(`/payments/${id}`);
      expect(page.text).toContain('another amount was paid');
      expect(page.text).toContain('Settle the payment');
      for (const wrong of [
        { state: '', note: 'x' },
        { state: 'rich', note: 'x' },
        { state: 'failed', note: ' ' },
      ]) {
        expect((await dashboard.post(`/payments/${id}/review`, wrong)).status).toBe(409);
      }
      expect((await payments.find(id))!.state).toBe('needs_review');
      const back = await dashboard.post(`/payments/${id}/review`, { state: 'reversed', note: 'x' });
      expect(back.status).toBe(409);
      expect(back.text).toContain('has reported no reversal of transaction ANOTHER');
      const word = { state: 'succeeded', note: 'it is on the statement', reference: 'ANOTHER' };
      const { status, location } = await dashboard.post(`/payments/${id}/review`, word);
      expect({ status, location }).toEqual({
        status: 303,
        location: `${dashboard.url}/payments/${id}?notice=resolved`,
      });
      const settled = await dashboard.get(`/payments/${id}?notice=resolved`);
      expect(settled.text).toContain('Your word is written down');
      expect(settled.text).toContain(
        'resolved as succeeded by unknown operator: it is on the statement',
      );
      expect((await dashboard.post(`/payments/${id}/review`, word)).text).toContain(
        'it is succeeded, not needs_review',
      );
      expect((await dashboard.post('/payments/none/review', word)).status).toBe(404);
    });
  });

  it('shows what became of a listener that fails, and calls it again', async () => {
    await open({
      providers: [Unwilling],
      payments: { listeners: { retryScheduleMs: [1] } },
    });
    const unwilling = merchant.app.get(Unwilling);
    const id = await paid();
    const page = await dashboard.pageWith(`/payments/${id}`, 'Unwilling.paid was given up');
    expect(page).toContain('after 2 attempts: no room for +');
    expect(page).toContain('&lt;b&gt;');
    expect(page).not.toContain(SECRET_DIGITS);
    const letters = await dashboard.get('/dead-letters');
    expect(letters.text).toContain('Unwilling.paid');
    expect(letters.text).not.toContain(SECRET_DIGITS);
    expect((await dashboard.get('/overview')).text).toMatch(
      /<strong>1<\/strong>\s*<span>dead letter</,
    );

    const [, letter] = /name="id" value="([^"]+)"/.exec(letters.text)!;
    unwilling.isWilling = true;
    const log = captureLog();
    const replayed = await dashboard.post('/dead-letters/replay', { id: letter! });
    expect(replayed.status).toBe(303);
    expect(replayed.location).toBe(`${dashboard.url}/dead-letters?notice=dead-letter-replayed`);
    expect(log[0]?.line).toContain('unknown operator had dead letters called again: 1');
    await dashboard.pageWith(`/payments/${id}`, 'Unwilling.paid heard it');
    expect(unwilling.heard).toHaveLength(1);
    const gone = await dashboard.post('/dead-letters/replay', { id: letter! });
    expect(gone.location).toContain('notice=no-dead-letter');
    expect((await dashboard.post('/dead-letters/replay')).status).toBe(400);
    expect((await dashboard.post('/dead-letters/replay', { id: "1'; drop" })).location).toContain(
      'no-dead-letter',
    );
  });

  it('names listeners that no process has, and how long their events wait', async () => {
    let now = Date.now();
    const store = new MemoryStore(() => now);
    const name = 'Removed.<b>hear</b>';
    await store.registerListeners('default', [{ event: 'payment.succeeded', listener: name }]);
    await open({ payments: { store } });
    await paid();
    expect((await dashboard.get('/overview')).text).not.toContain('no process has');
    now += 11 * 60_000;
    expect((await dashboard.get('/overview')).text).toMatch(
      /<strong>1<\/strong>\s*<span>listener no process has</,
    );
    const { text } = await dashboard.get('/dead-letters');
    expect(text).toContain('Removed.&lt;b&gt;hear');
    expect(text).toContain('11 min');
  });

  it('calls all dead letters again at once', async () => {
    await open({ providers: [Unwilling], payments: { listeners: { retryScheduleMs: [1] } } });
    const ids = [await paid(), await paid({ allowParallel: true })];
    for (const id of ids)
      await dashboard.pageWith(`/payments/${id}`, 'Unwilling.paid was given up');
    merchant.app.get(Unwilling).isWilling = true;
    const { location } = await dashboard.post('/dead-letters/replay', { which: 'all' });
    expect(location).toContain('dead-letters-replayed');
    for (const id of ids) await dashboard.pageWith(`/payments/${id}`, 'Unwilling.paid heard it');
    expect((await dashboard.get('/dead-letters')).text).toContain('There is none');
  });

  describe('shows the inbox', () => {
    beforeEach(() => open());

    const post = (body: string | Buffer) =>
      deliverSigned(merchant.payments.webhookUrl(), body, merchant.simulator.apiKey);

    it('with each delivery, its body masked until it is asked for, and reads it again', async () => {
      const body = webhookBody({}, { topic: 'tomorrow', note: 'call 0700 000 001' });
      await post(body.replace('+254700000099', PHONE));
      await merchant.heard.next('delivery.unrecognised');
      const list = await dashboard.get('/deliveries?state=unrecognised');
      const [, id] = /deliveries\/([\w-]{36})"/.exec(list.text)!;
      const page = await dashboard.get(`/deliveries/${id}`);
      expect(page.text).toContain('tomorrow');
      expect(page.text).toContain('its signature');
      expect(page.text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
      const log = captureLog();
      const shown = await dashboard.post(`/deliveries/${id}/body`);
      expect(shown.text).toContain(PHONE);
      expect(log.map(({ line }) => line)).toEqual([
        `dashboard of account default: unknown operator looked up the phone number of whoever delivery ${id} is about`,
      ]);
      const replayed = await dashboard.post(`/deliveries/${id}/replay`);
      expect(replayed.status).toBe(303);
      expect(replayed.location).toBe(`${dashboard.url}/deliveries/${id}?notice=delivery-replayed`);
      await dashboard.pageWith('/deliveries?state=unrecognised', id!);
      expect((await dashboard.post('/deliveries/none/replay')).status).toBe(404);
    });

    it('counts what we did not know among the oddities', async () => {
      await post(webhookBody({}, { topic: 'tomorrow' }));
      await merchant.heard.next('delivery.unrecognised');
      const { text } = await dashboard.get('/sightings');
      expect(text).toContain('unrecognised tomorrow');
      expect(text).toContain('deliveries?state=unrecognised');
    });

    it('has nothing of a forged delivery', async () => {
      const answer = await deliver(merchant.payments.webhookUrl(), webhookBody(), {
        'x-kopokopo-signature': '0'.repeat(64),
      });
      expect(answer.status).toBe(401);
      expect((await dashboard.get('/deliveries')).text).toContain('There is none.');
      expect((await dashboard.get('/transactions')).text).toContain('There is none.');
    });

    it('shows a body that is no text byte by byte', async () => {
      await post(Buffer.from([0, 255, 60, 115, 99, 114, 105, 112, 116, 62, 7]));
      await merchant.heard.next('delivery.unrecognised');
      const list = await dashboard.get('/deliveries');
      const [, id] = /deliveries\/([\w-]{36})"/.exec(list.text)!;
      const { text } = await dashboard.get(`/deliveries/${id}`);
      expect(text).toContain('000000  00 ff 3c 73 63 72 69 70 74 3e 07');
      expect(text).toContain('..&lt;script&gt;.');
    });
  });

  it('shows the money of the till, and the number of who paid when asked', async () => {
    await open();
    const id = await paid();
    const reference = (await merchant.payments.find(id))!.transaction!.reference!;
    const list = await dashboard.get('/transactions');
    expect(list.text).toContain(reference);
    expect(list.text).toContain(`payments/${id}`);
    expect(list.text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    const path = `/transaction?till=514459&reference=${reference}`;
    expect((await dashboard.get(path)).text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
    const log = captureLog();
    const shown = await dashboard.post('/transaction/phone', { till: '514459', reference });
    expect(shown.text).toContain('+254 700 000 001');
    expect(log[0]?.line).toContain(`looked up the phone number of transaction ${reference}`);
    expect((await dashboard.get('/transactions?reference=other')).text).toContain('There is none.');
    expect((await dashboard.get('/transactions?from=soon')).status).toBe(400);
    expect((await dashboard.get('/transaction?till=1&reference=2')).status).toBe(404);
    expect((await dashboard.get('/transaction')).status).toBe(404);
  });

  it('draws its charts from what was counted', async () => {
    await open();
    await paid();
    await merchant.payments.request(aRequestFrom('+254700000002'));
    await merchant.heard.next('payment.failed');
    const { text } = await dashboard.get('/statistics.json?window=1h');
    const { figures } = JSON.parse(text) as {
      figures: { name: string; labels: string[]; values: number[] }[];
    };
    const of = (name: string) => figures.find((figure) => figure.name === name)!;
    expect(of('outcome')).toMatchObject({ labels: ['succeeded', 'failed'], values: [1, 1] });
    expect(of('reasons')).toMatchObject({ labels: ['cancelled on the phone'], values: [1] });
    expect(of('time').labels).toHaveLength(3);
    expect(of('roads')).toMatchObject({ labels: ['callback'], values: [2] });
    expect(of('deliveries').values.reduce((sum, value) => sum + value, 0)).toBeGreaterThanOrEqual(
      2,
    );
    expect(of('backlog').labels).toHaveLength(2);
    const page = await dashboard.get('/overview?window=1h');
    expect(page.text).toContain('50.0 %');
    expect(page.text).toContain('Most often by callback.');
    expect(page.text).toMatch(
      /<th scope="row">cancelled on the phone<\/th>\s*<td class="number">1<\/td>/,
    );
  });

  it.each(['?window=2h', '?from=2026-02-31', '?from=2026-01-02&to=2026-01-01', '?from=2020-01-01'])(
    'says of the window %s what is wrong with it',
    async (query) => {
      await open();
      for (const path of ['/overview', '/statistics.json']) {
        const { status, text } = await dashboard.get(path + query);
        expect(status).toBe(400);
        expect(text).toContain('That is no window of time');
      }
    },
  );

  describe('compares the till with the platform', () => {
    beforeEach(() =>
      open({ payments: { reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1_000 } } }),
    );

    const window = () => {
      const field = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(0, 16);
      return { from: field(-3_600_000), to: field(120_000) };
    };

    it('in four lists, and in a file in which nothing acts as a formula', async () => {
      const id = await paid();
      await merchant.simulator.payTill({
        tillNumber: '514459',
        phoneNumber: '+254700000077',
        amount: 50,
        silent: true,
        reference: '=HYPERLINK("x")',
      });
      const { status, text } = await dashboard.post('/reconciliation', window());
      expect(status).toBe(200);
      expect(text).toContain('Matched (1)');
      expect(text).toContain('Missing here (1)');
      expect(text).toContain('Missing there (0)');
      expect(text).toContain('Different (0)');
      expect(text).toContain(`payments/${id}`);
      const [, file] = /href="data:text\/csv;charset=utf-8,([^"]+)"/.exec(text)!;
      const csv = decodeURIComponent(file!.replaceAll('&#39;', "'")).split('\r\n');
      expect(csv[0]).toBe(
        'list,reference,tillNumber,currency,amountHere,amountThere,originatedAt,paymentId,difference',
      );
      expect(csv.some((line) => line.startsWith('matched,') && line.includes(id))).toBe(true);
      expect(csv.some((line) => line.startsWith(`missingHere,"'=HYPERLINK(""x"")"`))).toBe(true);
    });

    it('in the last day, up to now, unless the operator says otherwise', async () => {
      const id = await paid();
      const { text } = await dashboard.get('/reconciliation');
      const given = [...text.matchAll(/name="(from|to)"[^>]*value="([^"]+)"/g)];
      const fields = given.map(([, name, value]) => [name, value] as [string, string]);
      expect(fields.map(([name]) => name)).toEqual(['from', 'to']);
      const report = await dashboard.post('/reconciliation', fields);
      expect(report.text).toContain('Matched (1)');
      expect(report.text).toContain(`payments/${id}`);
    });

    it.each([
      [{}, 'Both times are needed'],
      [{ from: 'x', to: '2026-01-01' }, 'Both times are needed'],
      [{ from: '2026-01-02', to: '2026-01-01' }, 'ends before it begins'],
      [{ from: '2026-01-01', to: '2026-02-02' }, 'longer than 31 days'],
    ])('not in the window %p', async (fields, words) => {
      const { status, text } = await dashboard.post(
        '/reconciliation',
        fields as Record<string, string>,
      );
      expect(status).toBe(400);
      expect(text).toContain(words);
    });

    it('and says in words why the platform cannot be read', async () => {
      merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
      const { status, text } = await dashboard.post('/reconciliation', window());
      expect(status).toBe(502);
      expect(text).toContain('The platform could not be read whole');
      expect((await dashboard.post('/reconciliation', window())).status).toBe(200);
    });
  });

  it('compares with the platform one at a time', async () => {
    const store = new LeavingStore();
    let isAsked = (): void => undefined;
    let goOn = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    store.listTransactions = async () => {
      isAsked();
      await gate;
      return { items: [], next: null };
    };
    await open({ payments: { store, reconciliation: { sweepEveryMs: 0 } } });
    const window = { from: '2026-01-01', to: '2026-01-02' };
    const first = dashboard.post('/reconciliation', window);
    await asked;
    const second = await dashboard.post('/reconciliation', window);
    expect(second.status).toBe(409);
    expect(second.text).toContain('one at a time');
    goOn();
    expect((await first).status).toBe(200);
    expect((await dashboard.post('/reconciliation', window)).status).toBe(200);
  });

  describe('takes forms', () => {
    it.each<[string, Partial<MerchantOptions>]>([
      ['with the parsers that Nest brings', {}],
      [
        'without any parser',
        { create: (m: TestingModule) => platform.create(m, { bodyParser: false }) },
      ],
      [
        'with raw bodies kept',
        { create: (m: TestingModule) => platform.create(m, { rawBody: true }) },
      ],
    ])('%s', async (_, options) => {
      await open({
        ...options,
        providers: [Unwilling],
        payments: { listeners: { retryScheduleMs: [1] } },
      });
      const id = await paid();
      expect(listed(await dashboard.post('/find', { words: PHONE }))).toEqual([id]);
      expect((await dashboard.post(`/payments/${id}/phone`)).text).toContain('+254 700 000 001');
      await dashboard.pageWith('/dead-letters', 'Unwilling.paid');
      merchant.app.get(Unwilling).isWilling = true;
      const { status } = await dashboard.post('/dead-letters/replay', { which: 'all' });
      expect(status).toBe(303);
      const bare = await fetch(`${dashboard.url}/payments/${id}/phone`, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin' },
      });
      expect(await bare.text()).toContain('+254 700 000 001');
    });

    it('of no more than any of its own needs, and of no other kind', async () => {
      await open({ create: (module) => platform.create(module, { bodyParser: false }) });
      const large = await dashboard.post('/find', { words: 'x'.repeat(20_000) });
      expect(large.status).toBe(413);
      expect(large.text).toContain('That is too much');
      const json = await dashboard.postFrom(
        { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        '/find',
        { words: PHONE },
      );
      expect(json.location).toBe(`${dashboard.url}/payments`);
    });

    it.each<[string, Record<string, string>, boolean]>([
      ['of its own pages', { 'sec-fetch-site': 'same-origin' }, true],
      ['of another site', { 'sec-fetch-site': 'cross-site' }, false],
      ['of a neighbour’s subdomain', { 'sec-fetch-site': 'same-site' }, false],
      ['of no site at all', { 'sec-fetch-site': 'none' }, false],
      ['that say nothing', {}, false],
      ['whose origin is another', { origin: 'https://evil.example' }, false],
      ['whose origin is hidden', { origin: 'null' }, false],
      ['whose origin is ours, in a browser that says no more', { origin: 'SELF' }, true],
      [
        'of another site with our origin forged',
        { 'sec-fetch-site': 'cross-site', origin: 'SELF' },
        false,
      ],
    ])('%s: %p are taken: %p', async (_, headers, isTaken) => {
      await open();
      const id = await paid();
      const given = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace('SELF', merchant.url)]),
      );
      const log = captureLog();
      for (const path of [`/payments/${id}/phone`, '/dead-letters/replay', '/find']) {
        const { status, text } = await dashboard.postFrom(given, path, {
          words: PHONE,
          which: 'all',
        });
        if (isTaken) expect([200, 303]).toContain(status);
        else {
          expect(status).toBe(403);
          expect(text).toContain('This did not come from these pages');
          expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
        }
      }
      expect(log.length > 0).toBe(isTaken);
    });
  });

  it('sends nothing inline on any page, and says so to the browser', async () => {
    await open();
    const id = await paid();
    for (const path of [
      '/overview',
      '/payments',
      `/payments/${id}`,
      '/deliveries',
      '/reconciliation',
      '/lost',
    ]) {
      const { headers, text } = await dashboard.get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc=)/);
      expect(linksOf(text).filter((link) => /^(\w+:)?\/\//.test(link))).toEqual([]);
    }
  });

  it('sends its files from itself, again only when they changed', async () => {
    await open();
    const types = {
      'dashboard.css': 'text/css; charset=utf-8',
      'chart.js': 'text/javascript; charset=utf-8',
      'charts.js': 'text/javascript; charset=utf-8',
      'favicon.svg': 'image/svg+xml; charset=utf-8',
    };
    for (const [name, type] of Object.entries(types)) {
      const { status, headers, text } = await dashboard.get(`/assets/${name}`);
      expect({ name, status, type: headers.get('content-type') }).toEqual({
        name,
        status: 200,
        type,
      });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(text.length).toBeGreaterThan(100);
      const etag = headers.get('etag')!;
      const again = await dashboard.get(`/assets/${name}`, { headers: { 'if-none-match': etag } });
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
      expect(
        (await dashboard.get(`/assets/${name}`, { headers: { 'if-none-match': '"old"' } })).status,
      ).toBe(200);
    }
    expect((await dashboard.get('/assets/chart.js')).text).toContain('Chart.js');
    for (const name of ['package.json', '..%2f..%2findex.js', '__proto__']) {
      expect((await dashboard.get(`/assets/${name}`)).status).toBe(404);
    }
  });

  it.each([
    '/payments/none',
    '/payments/..%2f..',
    '/payments/%00',
    '/payments/a%20b',
    '/deliveries/none',
    '/deliveries/%F0%9F%98%80',
    '/nowhere',
    '/payments/a/b/c',
  ])('says of %s that there is no such thing', async (path) => {
    await open();
    const { status, text } = await dashboard.get(path);
    expect(status).toBe(404);
    expect(text).toContain('There is no such');
  });

  it.each([
    ['/payments?state=succeeded&state=failed', 200],
    ['/payments?state=&key=&from=', 200],
    ['/payments?state[]=failed', 200],
    ['/payments?state=none', 400],
    ['/payments?after=garbage', 200],
    ['/payments?after=%00', 400],
    ['/payments?after=x&after=y', 200],
    ['/payments?from=now', 400],
    [`/payments?after=${'9'.repeat(600)}`, 400],
    ['/payments?notice=%3Cscript%3E', 200],
    ['/payments?notice=constructor', 200],
    ['/deliveries?state=done&after=garbage', 200],
    ['/deliveries?state=rich', 400],
    ['/deliveries?after=%01', 400],
    ['/transactions?after=%00', 400],
    ['/transactions?reference=%00', 400],
    ['/payments/?state=failed', 200],
  ])('answers %s with %i, as a page', async (path, status) => {
    await open();
    const shown = await dashboard.get(path);
    // Fastify knows no slash at the end, unless the host tells it to.
    if (path.includes('/?') && shown.status === 404) return;
    expect(shown.status).toBe(status);
    expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(shown.text).not.toContain('<script>');
  });

  it.each([
    ['/find', '/payments'],
    ['/transaction/phone', '/transactions'],
  ])('leads whoever loads %s anew by its address to %s', async (path, list) => {
    await open();
    const { status, location } = await dashboard.get(path);
    expect({ status, location }).toEqual({ status: 303, location: dashboard.url + list });
  });

  it('answers HEAD like GET, without the page', async () => {
    await open();
    const { status, headers, text } = await dashboard.get('/payments', { method: 'HEAD' });
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('says that the store is away, and works again when it is back', async () => {
    const store = new LeavingStore();
    await open({ payments: { store } });
    const id = await paid();
    store.isAway = true;
    for (const path of [
      '/overview',
      '/payments',
      `/payments/${id}`,
      '/statistics.json?window=7d',
    ]) {
      const { status, headers, text } = await dashboard.get(path);
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('10');
      expect(text).toContain('The store of payments is away');
      expect(text).not.toContain('10.0.0.7');
    }
    expect((await dashboard.post('/find', { words: 'x' })).status).toBe(503);
    store.isAway = false;
    expect((await dashboard.get('/overview')).status).toBe(200);
  });

  it('says that a page broke, and tells the log why', async () => {
    const store = new LeavingStore();
    store.counts = () => Promise.reject(new TypeError('a mistake of ours'));
    await open({ payments: { store } });
    const log = captureLog();
    const { status, text } = await dashboard.get('/sightings');
    expect(status).toBe(500);
    expect(text).toContain('Something broke in this page');
    expect(text).not.toContain('a mistake');
    expect(log).toEqual([{ level: 'error', line: 'a page of the dashboard failed' }]);
  });

  it('shows hostile names, keys and metadata harmlessly, and long ones cut', async () => {
    await open();
    const script = '<script>alert(1)</script>';
    const id = await paid({
      idempotencyKey: `"><img src=x onerror=alert(1)>`,
      subscriber: { firstName: script, lastName: 'abc\u202Egnp.exe', phoneNumber: PHONE },
      metadata: { [script]: script, long: 'x'.repeat(10_000), tag: `'"/><svg onload=alert(1)>` },
    });
    const { transaction } = (await merchant.payments.find(id))!;
    const pages = [
      await dashboard.get('/payments'),
      await dashboard.get(`/payments/${id}`),
      await dashboard.get('/transactions'),
      await dashboard.get(`/transaction?till=514459&reference=${transaction!.reference}`),
      await dashboard.post(`/payments/${id}/phone`),
      await dashboard.post('/payments/search', { key: `"><script>`, phone: '<script>' }),
      await dashboard.post('/find', { words: script }),
    ];
    for (const { text } of pages) {
      expect(text).not.toMatch(/<script>|<img|onload=alert\(1\)>|\u202E/);
    }
    expect(pages[1]!.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(pages[1]!.text).toContain('abc&lt;U+202E&gt;gnp.exe');
    expect(pages[1]!.text).toContain('x… 10,000 characters');
    expect(pages[1]!.text.length).toBeLessThan(30_000);
  });
});
