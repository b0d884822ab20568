import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  OnPaymentEvent,
  PaymentsAccounts,
  SendingPausedError,
  type Payment,
  type PaymentsEvents,
} from '@tillkit/payments';
import type { PaymentRecord } from '@tillkit/payments/internal/store';
import type { PostgresStore } from '@tillkit/postgres';
import { commitTo } from '../../contracts/store-under-test.js';
import type { TestDatabase } from '../../contracts/test-database.js';
import { tillkit, tillkitProcess, type Ran } from '../../support/command-line.js';
import { deliverSigned, resultBody, webhookBody } from '../../support/deliver.js';
import { aRequestOfAnother, type Merchant } from '../../support/merchant.js';
import { StoredMerchant } from '../../support/stored.merchant.js';
import { until } from '../../support/until.js';

const DIGITS = /700000001/;
const HOSTILE = '\u001b[31mred\u001b[0m';

/** The commands print these fields as JSON, each command some of them. */
interface Printed {
  code: number | null;
  payment: Payment;
  history: { via: string }[];
  items: { id: string }[];
  next: string;
  body: string;
}

@Injectable()
class Unwilling {
  isWilling = false;

  @OnPaymentEvent('payment.failed')
  failed({ payment }: PaymentsEvents['payment.failed']): void {
    if (!this.isWilling)
      throw new Error(`no room for ${payment.subscriber.phoneNumber} ${HOSTILE}`);
  }
}

describe('beside an application with a database, tillkit', () => {
  let opened: StoredMerchant;
  let database: TestDatabase;
  let store: PostgresStore;
  let merchant: Merchant;
  let environment: Record<string, string>;

  beforeAll(async () => {
    opened = await StoredMerchant.open({
      providers: [Unwilling],
      payments: {
        listeners: { retryScheduleMs: [1] },
        // Only a command reads open payments here.
        reconciliation: {
          scheduleMs: [3_600_000],
          sweepEveryMs: 0,
          intervalMs: 20,
          requestsPerSecond: 1000,
        },
      },
    });
    ({ database, store, merchant } = opened);
    const { simulator } = merchant;
    environment = {
      PAYMENTS_BASE_URL: simulator.url,
      PAYMENTS_CLIENT_ID: simulator.clientId,
      PAYMENTS_CLIENT_SECRET: simulator.clientSecret,
      PAYMENTS_API_KEYS: simulator.apiKey,
      PAYMENTS_PUBLIC_URL: merchant.url,
      PAYMENTS_TILL_NUMBER: '514459',
      PAYMENTS_DATABASE_URL: database.url,
    };
  });

  afterAll(() => opened.close());

  const run = (...args: string[]): Promise<Ran> => tillkit(args, { environment });
  const json = async (...args: string[]): Promise<Printed> => {
    const { code, out, complaint } = await run(...args, '--json');
    expect(complaint).toBe('');
    return { code, ...(JSON.parse(out) as Omit<Printed, 'code'>) };
  };
  const refused = async (code: number, why: RegExp, ...args: string[]): Promise<void> =>
    expect(await run(...args)).toEqual({
      code,
      out: '',
      complaint: expect.stringMatching(why),
    });

  const paid = async (changes: Parameters<typeof aRequestOfAnother>[0] = {}): Promise<Payment> => {
    const { id } = await merchant.payments.request(aRequestOfAnother(changes));
    const event = await merchant.received.next(
      'payment.succeeded',
      ({ payment }) => payment.id === id,
    );
    return event.payment;
  };

  /** Returns a payment whose callback and webhook are lost. */
  const withoutCallback = async (): Promise<Payment> => {
    merchant.simulator.faults.rate('lose', 1);
    const payment = await merchant.payments.request(aRequestOfAnother());
    await until(() =>
      merchant.simulator.deliveries
        .list()
        .some(({ url }) => url.includes(`incoming-payments/${payment.id}`)),
    );
    merchant.simulator.faults.rate('lose', 0);
    return payment;
  };

  describe('payments show', () => {
    it('shows a payment by its id as a process, with history, events and a masked number', async () => {
      const { id } = await paid({ metadata: { note: HOSTILE } });
      const { code, out, complaint } = await tillkitProcess(['payments', 'show', id], {
        environment,
      });
      expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
      expect(out).toMatch(new RegExp(`^id +${id}$`, 'm'));
      expect(out).toMatch(/^state +succeeded$/m);
      expect(out).toMatch(/^customer +Jane Doe \+\S*•\S*$/m);
      expect(out).toMatch(/^at +via +what +detail$/m);
      expect(out).toMatch(/payment\.succeeded +\S/);
      expect(out).not.toMatch(DIGITS);
      expect(out).not.toContain('\u001b');
      expect(out).toContain(String.raw`\u001b[31mred`);
    });

    it('finds a payment by its idempotency key and by the reference of its receipt, as JSON', async () => {
      const payment = await paid({ idempotencyKey: 'order-+254700000001-1' });
      const byKey = await json('payments', 'show', payment.idempotencyKey);
      expect(byKey).toMatchObject({
        code: 0,
        payment: {
          id: payment.id,
          state: 'succeeded',
          amount: { currency: 'KES', value: '100.00' },
          tillNumber: '514459',
        },
        history: expect.arrayContaining([expect.objectContaining({ via: 'request' })]),
        events: [{ name: 'payment.succeeded', calls: expect.any(Array) }],
      });
      expect(JSON.stringify(byKey)).not.toMatch(DIGITS);
      const reference = payment.transaction?.reference as string;
      for (const typed of [reference, reference.toLowerCase()])
        expect((await json('payments', 'show', typed)).payment).toEqual(byKey.payment);
      const open = await json('payments', 'show', reference, '--show-phones');
      expect(open.payment).toMatchObject({
        idempotencyKey: payment.idempotencyKey,
        subscriber: { phoneNumber: payment.subscriber.phoneNumber },
      });
    });

    it('says what has the id when that is no payment', async () => {
      await deliverSigned(
        merchant.webhookUrl,
        webhookBody({ reference: 'NOBODYS1' }),
        merchant.simulator.apiKey,
      );
      await merchant.received.next(
        'till.transaction.received',
        ({ transaction }) => transaction.reference === 'NOBODYS1',
      );
      await refused(
        1,
        /NOBODYS1 is known, and belongs to no payment/,
        'payments',
        'show',
        'NOBODYS1',
      );
      await refused(
        1,
        /has no payment with the id or idempotency key nothing/,
        'payments',
        'show',
        'nothing',
      );
      await refused(2, /missing required argument 'payment'/, 'payments', 'show');
      await refused(
        2,
        /never seen account "shop-9"; it knows "default"/,
        'payments',
        'show',
        'x',
        '--account',
        'shop-9',
      );
      await refused(2, /No command given.*show \[options\] <payment>/s, 'payments');
    });
  });

  describe('payments check', () => {
    it('reads a payment whose callback never came, and the application emits its event', async () => {
      const { id, state } = await withoutCallback();
      expect(state).toBe('pending');
      const { code, payment, history } = await json('payments', 'check', id);
      expect({ code, state: payment.state, via: history.at(-1)?.via }).toEqual({
        code: 0,
        state: 'succeeded',
        via: 'status',
      });
      const event = await merchant.received.next(
        'payment.succeeded',
        (each) => each.payment.id === id,
      );
      expect(event.via).toBe('status');
    });

    it('reads a payment from the platform, and says when there is nothing to read', async () => {
      const { id } = await withoutCallback();
      const { code, out, complaint } = await tillkit(['payments', 'check', id], {
        environment,
      });
      expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
      expect(out).toMatch(/^state +succeeded$/m);
      const recorded = await store.operations.find('default', id);
      await store.operations.record(
        {
          ...(recorded as PaymentRecord),
          id: 'never-sent',
          idempotencyKey: 'never-sent',
          guard: { keys: [] },
        },
        { sendBeforeMs: 3_600_000 },
      );
      await refused(
        1,
        /never-sent is created and has no id at the platform/,
        'payments',
        'check',
        'never-sent',
      );
    });

    it('names the setting that it lacks', async () => {
      const { id } = await paid();
      const { PAYMENTS_CLIENT_SECRET: _, ...incomplete } = environment;
      expect(await tillkit(['payments', 'check', id], { environment: incomplete })).toMatchObject({
        code: 2,
        complaint: expect.stringContaining('PAYMENTS_CLIENT_SECRET is missing'),
      });
    });
  });

  describe('payments resolve', () => {
    it('decides a payment in review, with who and why in its history', async () => {
      const { id, platformId } = await withoutCallback();
      const url = `${merchant.url}/payments/callbacks/incoming-payments/${id}`;
      await deliverSigned(
        url,
        resultBody(
          platformId as string,
          url,
          {},
          { amount: '1.0', reference: `LESS${id.slice(0, 4)}` },
        ),
        merchant.simulator.apiKey,
      );
      await merchant.received.next('payment.needs_review', ({ payment }) => payment.id === id);
      const decide = (...args: string[]): Promise<Ran> =>
        run('payments', 'resolve', id, '--state', 'failed', ...args);
      expect(await decide('--by', 'jane@shop.example')).toMatchObject({
        code: 2,
        complaint: expect.stringContaining('--note'),
      });
      const { code, out } = await decide('--by', 'jane@shop.example', '--note', 'it was returned');
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^state +failed$/m) });
      expect(out).toContain('resolved as failed by jane@shop.example: it was returned');
      expect(await decide('--by', 'jane@shop.example', '--note', 'again')).toMatchObject({
        code: 1,
        complaint: expect.stringContaining('it is failed, and no decision is open'),
      });
      const person = ['--by', 'a', '--note', 'b'];
      const wrong = await run('payments', 'resolve', id, '--state', 'lost', ...person);
      expect(wrong).toMatchObject({
        code: 2,
        complaint: expect.stringMatching(/'lost' is invalid.*succeeded, failed, reversed/),
      });
    });
  });

  describe('deliveries', () => {
    it('list shows deliveries page by page, newest first, and show shows one with its body', async () => {
      const { apiKey } = merchant.simulator;
      for (const reference of ['LISTED1', 'LISTED2'])
        await deliverSigned(merchant.webhookUrl, webhookBody({ reference }), apiKey);
      const first = await json('deliveries', 'list', '--limit', '1');
      expect(first).toMatchObject({
        code: 0,
        account: 'default',
        items: [{ kind: 'webhook', duplicates: 0, bytes: expect.any(Number) }],
        next: expect.any(String),
      });
      const second = await json('deliveries', 'list', '--limit', '1', '--after', first.next);
      const id = second.items[0]?.id as string;
      const { body, ...shown } = await json('deliveries', 'show', id);
      expect(shown).toMatchObject({ code: 0, id, verifiedBy: 'signature' });
      expect(JSON.parse(body).event.resource.reference).toBe('LISTED1');
      expect(body).not.toContain('254700000099');
      const text = await tillkit(['deliveries', 'show', id], { environment });
      expect(text).toMatchObject({ code: 0, complaint: '' });
      expect(text.out).toMatch(/^kind +webhook$/m);
      expect(text.out).toMatch(/^ +"reference": "LISTED1",$/m);
      expect(text.out).not.toContain('254700000099');
      const page = await run('deliveries', 'list', '--limit', '1');
      expect(page.complaint).toContain(`There are more: --after ${first.next}`);
    });

    it('replay processes one delivery again, or all that are unrecognised', async () => {
      const { apiKey } = merchant.simulator;
      await deliverSigned(merchant.webhookUrl, '{"topic":"of_tomorrow"}', apiKey);
      const { deliveryId } = await merchant.received.next('delivery.unrecognised');
      const unrecognised = async (): Promise<string[]> =>
        (await json('deliveries', 'list', '--state', 'unrecognised')).items.map(({ id }) => id);
      expect(await unrecognised()).toEqual([deliveryId]);
      expect(await json('deliveries', 'replay', '--all-unrecognised')).toEqual({
        code: 0,
        account: 'default',
        replayed: [deliveryId],
      });
      await until(async () => (await unrecognised()).length === 1);
      const again = await tillkit(['deliveries', 'replay', deliveryId], { environment });
      expect(again).toEqual({
        code: 0,
        out: '1 delivery is pending again. The application processes them within seconds.\n',
        complaint: '',
      });
    });

    it('commands name what is wrong with their arguments', async () => {
      await refused(1, /has no delivery nothing/, 'deliveries', 'show', 'nothing');
      await refused(1, /has no delivery nothing/, 'deliveries', 'replay', 'nothing');
      await refused(2, /name one delivery by its id, or all/, 'deliveries', 'replay');
      await refused(2, /'lost' is invalid/, 'deliveries', 'list', '--state', 'lost');
      await refused(2, /whole number from 1 to 200/, 'deliveries', 'list', '--limit', '0');
    });
  });

  describe('dead-letters', () => {
    it('list shows the dead letters of a listener that fails, and replay calls the listener again', async () => {
      expect(await json('dead-letters', 'list')).toEqual({
        code: 0,
        account: 'default',
        items: [expect.objectContaining({ listener: 'Unwilling.failed' })],
      });
      const listed = await tillkit(['dead-letters', 'list'], { environment });
      expect(listed).toMatchObject({ code: 0, complaint: '' });
      expect(listed.out).toMatch(/payment\.failed +Unwilling\.failed +2 +no room for \+\S*•/);
      expect(listed.out).toContain('<U+001B>[31mred');
      expect(listed.out).not.toMatch(DIGITS);
      expect(listed.out).not.toContain('\u001b');
      await refused(1, /has no dead letter 999/, 'dead-letters', 'replay', '999');
      await refused(
        2,
        /name one dead letter by its id, or all with --all/,
        'dead-letters',
        'replay',
      );
      merchant.app.get(Unwilling).isWilling = true;
      expect(await json('dead-letters', 'replay', '--all')).toEqual({
        code: 0,
        account: 'default',
        replayed: 1,
      });
      await until(async () => (await json('dead-letters', 'list')).items.length === 0);
      expect((await run('dead-letters', 'replay', '--all')).out).toContain('has no dead letters');
    });
  });

  describe('accounts, pause and resume', () => {
    it('stop sending for all accounts, show who paused them and why, and start it again', async () => {
      const decided = ['--by', 'jane@shop.example', '--note', 'restored from a backup'];
      const onlyDatabase = { PAYMENTS_DATABASE_URL: database.url };
      expect(await tillkit(['pause', '--all', ...decided], { environment: onlyDatabase })).toEqual({
        code: 0,
        out: 'Sending of all accounts is paused.\n',
        complaint: '',
      });
      await expect(merchant.payments.request(aRequestOfAnother())).rejects.toThrow(
        SendingPausedError,
      );
      const listed = await run('accounts', 'list');
      expect(listed.out).toMatch(
        /^default +paused \(all\) by jane@shop\.example: restored from a backup/m,
      );
      expect(await json('pause', '--all', ...decided)).toEqual({
        code: 0,
        account: null,
        action: 'pause',
        changed: false,
        remaining: [expect.objectContaining({ account: null, by: 'jane@shop.example' })],
      });
      expect(await json('resume', '--all', ...decided)).toMatchObject({ changed: true });
      expect((await merchant.payments.request(aRequestOfAnother())).state).not.toBe('created');
    });

    it('stop sending for one account, and need its name', async () => {
      const decided = ['--by', 'jane', '--note', 'the till was moved'];
      expect(await json('pause', '--account', 'default', ...decided)).toMatchObject({
        account: 'default',
        changed: true,
      });
      expect(await json('accounts', 'list')).toMatchObject({
        code: 0,
        allPaused: null,
        items: [{ account: 'default', paused: { by: 'jane', note: 'the till was moved' } }],
      });
      expect((await run('resume', '--account', 'default', ...decided)).out).toBe(
        'This pause of account "default" has ended. Nothing is paused.\n',
      );
      const [last] = await merchant.app.get(PaymentsAccounts).pauseHistory('default', 1);
      expect(last).toMatchObject({ what: 'resumed', by: 'jane' });
      await refused(2, /--account <name>, or all with --all/, 'pause', ...decided);
      await refused(2, /--by <name>/, 'pause', '--all');
      await refused(2, /never seen account "shop-9"/, 'pause', '--account', 'shop-9', ...decided);
    });

    it('release a till of an account, so that another account can have it', async () => {
      const decided = ['--by', 'jane', '--note', 'it was sold'];
      const claim = (account: string) =>
        store.accounts.claim([{ account, tills: ['777777'], keyHashes: [], listsTills: true }]);
      await store.accounts.noteStarts(['gone']);
      await claim('gone');
      const release = ['accounts', 'release', 'gone', '--till', 'K777777', ...decided];
      expect(await json(...release)).toEqual({ code: 0, account: 'gone', released: ['777777'] });
      expect(await claim('default')).toEqual([]);
      await refused(1, /account gone has no such till/, ...release);
      await refused(2, /must be digits/, 'accounts', 'release', 'gone', '--till', 'x', ...decided);
      await store.accounts.release('default', ['777777']);
    });
  });

  describe('reviews', () => {
    const inReview = async ({ id }: Payment, cause: 'ambiguous' | 'no_evidence') => {
      const { version } = (await store.operations.find('default', id))!;
      await commitTo(store, {
        account: 'default',
        operation: { id, version, set: { state: 'needs_review', cause } },
        events: [],
        history: [],
      });
      return id;
    };

    /** The platform has never processed it. */
    const lost = (): Promise<Payment> => {
      merchant.simulator.faults.once('create-5xx-before-commit');
      return merchant.payments.request(aRequestOfAnother());
    };

    it('counts what waits for a decision, and resolves all of one cause, after it has shown how many and how much', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 2; n += 1) ids.push(await inReview(await lost(), 'ambiguous'));
      const listed = await run('reviews', 'list', '--cause', 'ambiguous');
      expect(listed.out).toMatch(/^payment +ambiguous +2 +KES 200\.00 +20\d\d-/m);
      const before = new Date(Date.now() + 60_000).toISOString();
      const resolve = (...args: string[]): Promise<Ran> =>
        run('reviews', 'resolve', '--before', before, '--cause', 'ambiguous', ...args);
      const person = ['--by', 'jane@shop.example', '--note', 'not on the statement'];
      expect(await resolve(...person)).toMatchObject({
        code: 2,
        complaint: expect.stringContaining("'--as <state>' not specified"),
      });
      const questions: string[] = [];
      const options = ['--before', before, '--cause', 'ambiguous', '--as', 'failed', ...person];
      const done = await tillkit(['reviews', 'resolve', ...options], {
        environment,
        ask: async (question) => {
          questions.push(question);
          return 'yes';
        },
      });
      expect(done).toMatchObject({ code: 0, out: expect.stringContaining('2 of 2 are failed.') });
      expect(questions).toEqual([
        expect.stringContaining('reviews to failed: 2 payment (KES 200.00), account "default"'),
      ]);
      for (const id of ids)
        expect(await merchant.payments.find(id)).toMatchObject({ state: 'failed' });
      expect(await resolve('--as', 'failed', ...person)).toMatchObject({
        code: 1,
        complaint: expect.stringContaining('there are no such reviews'),
      });
    });

    it('names those that cannot be decided so, and that the platform shows as paid by now', async () => {
      const id = await inReview(await lost(), 'no_evidence');
      const paid = await inReview(await withoutCallback(), 'no_evidence');
      const before = new Date(Date.now() + 60_000).toISOString();
      const as = (state: string): Promise<Ran> => {
        const options = ['--cause', 'no_evidence', '--before', before, '--as', state];
        const person = ['--by', 'jane@shop.example', '--note', 'after the outage'];
        return run('reviews', 'resolve', ...options, ...person);
      };
      expect(await as('failed')).toMatchObject({
        code: 1,
        out: expect.stringMatching(
          new RegExp(`1 of 2 are failed.*${paid}: .*that it is succeeded`, 's'),
        ),
      });
      expect(await merchant.payments.find(paid)).toMatchObject({ state: 'succeeded' });
      expect(await merchant.payments.find(id)).toMatchObject({ state: 'failed' });
      const other = await inReview(await lost(), 'no_evidence');
      expect(await as('succeeded')).toMatchObject({
        code: 1,
        out: expect.stringMatching(
          new RegExp(`0 of 1 are succeeded.*${other}: .*give the reference`, 's'),
        ),
      });
      expect(await merchant.payments.find(other)).toMatchObject({ state: 'needs_review' });
    });
  });
});
