import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { PersonalDataService } from '@tillkit/payments';
import type { PersonalRecord, PersonRedaction } from '@tillkit/payments/types';
import type {
  NewEvent,
  NewOperationRecord,
  OperationRecord,
} from '@tillkit/payments/internal/store';
import {
  aDelivery,
  anEvent,
  aPayment,
  aPayout,
  aRefund,
  asked,
  aSum,
  aTransaction,
  changed,
  claimCalls,
  commitEvents,
  commitTo,
  LISTENER,
  listen,
  newAccount,
  PAYER,
  recorded,
  transactionChange,
  type StoreUnderTest,
} from './store-under-test.js';

type NewLink = Extract<NewOperationRecord, { paymentReference: unknown }>;

const DAY = 86_400_000;
const JANE = '+254700000001';
const JOHN = '+254700000002';

const wallet = (phoneNumber: string, description: string) =>
  ({
    type: 'mobile_wallet',
    phoneNumber,
    network: 'Safaricom',
    amount: '50.00',
    description,
  }) as const;

/** Rows about a customer may be about others too. A customer is given only the own data, and only that is redacted. */
export function describeCustomerData(current: () => StoreUnderTest): void {
  const dataOf = async (account: string): Promise<PersonalDataService> => {
    const { store } = current();
    // The time of the store, which tests have moved.
    const { createdAt } = await recorded(store, aPayment(newAccount()));
    const settings = { account, defaultCountry: 'KE' } as never;
    return new PersonalDataService(
      store.retention,
      { current: settings },
      { now: () => createdAt.getTime() },
    );
  };
  const exported = async (account: string, phoneNumber: string): Promise<PersonalRecord[]> => {
    const records: PersonalRecord[] = [];
    const data = await dataOf(account);
    for await (const record of data.export({ phoneNumber })) records.push(record);
    return records;
  };
  const redact = async (account: string, phoneNumber: string): Promise<PersonRedaction> =>
    (await dataOf(account)).redact({ phoneNumber, by: 'jane@shop.example', note: 'her request' });
  /** Returns a delivery that is processed. Returns its id. */
  const delivered = async (account: string, body: string): Promise<string> => {
    const { deliveries } = current().store;
    const delivery = aDelivery(account, { body: Buffer.from(body) });
    await deliveries.store(delivery);
    const [claim] = await deliveries.claim([account], delivery.kind, 1, 60_000);
    await deliveries.finish(claim!, { kind: 'done' });
    return delivery.id;
  };
  const paidBy = async (account: string, senderPhoneNumber: string): Promise<OperationRecord> => {
    const subscriber = { firstName: 'Aphrodite', lastName: 'D', phoneNumber: JANE };
    const payment = await recorded(current().store, aPayment(account, { subscriber }));
    const transaction = aTransaction({
      reference: 'PAID',
      senderFirstName: 'Waldemar',
      senderPhoneNumber,
      raw: {},
    });
    return changed(current().store, payment, {
      state: 'succeeded',
      platformId: 'one',
      transaction,
    });
  };
  /** A refund of Jane's money, which the platform knows by an id. */
  const refunded = async (account: string, platformId: string): Promise<void> => {
    const { id } = await paidBy(account, JANE);
    const refund = await recorded(
      current().store,
      aRefund(account, { paymentId: id, reference: 'PAID' }),
    );
    await changed(current().store, refund, {
      state: 'succeeded',
      platformId,
    });
  };

  describe('the data of a customer', () => {
    it('of a payment that another person has paid shows nothing of that person', async () => {
      const account = newAccount();
      await paidBy(account, JOHN);
      const [record, ...more] = await exported(account, JANE);
      expect(more).toEqual([]);
      const text = JSON.stringify(record);
      expect(text).toContain('Aphrodite');
      expect(text).toContain('PAID');
      for (const other of ['Waldemar', JOHN]) expect(text).not.toContain(other);
    });

    it('who has paid what another person was asked for shows nothing of that person', async () => {
      const account = newAccount();
      await paidBy(account, JOHN);
      const text = JSON.stringify(await exported(account, JOHN));
      expect(text).toContain('Waldemar');
      for (const other of ['Aphrodite', JANE]) expect(text).not.toContain(other);
    });

    it('of money says by what kind of payment it came', async () => {
      const account = newAccount();
      const [plain, card] = [aTransaction(), aTransaction({ reference: 'C', kind: 'card' })];
      const sums = [aSum({ received: plain }), aSum({ received: card, tills: ['9'] })];
      await commitTo(current().store, transactionChange(account, 'TWO', null, sums));
      const text = JSON.stringify(await exported(account, PAYER));
      for (const kind of ['buygoods', 'card']) expect(text).toContain(`"kind":"${kind}"`);
    });

    it.each([
      ['with', '\uFEFF'],
      ['without', ''],
    ])(
      'is only the own part in a delivery about several persons %s a byte order mark, and redaction leaves the others',
      async (_, mark) => {
        const account = newAccount();
        const list = [
          { phone: JANE.slice(1), name: 'Aphrodite' },
          { phone: JOHN.slice(1), name: 'Waldemar' },
        ];
        await delivered(account, mark + JSON.stringify({ list }));
        const records = await exported(account, JANE);
        expect(records.map(({ data }) => data)).toEqual([{ parts: [list[0]] }]);
        await redact(account, JANE);
        expect(await exported(account, JANE)).toEqual([]);
        expect(await exported(account, JOHN)).toHaveLength(1);
      },
    );

    it('is only the own text in a list of texts', async () => {
      const account = newAccount();
      const errors = [`${JANE} is not registered`, `${JOHN} is not registered`];
      await delivered(account, JSON.stringify({ errors }));
      const records = await exported(account, JANE);
      expect(records.map(({ data }) => data)).toEqual([{ parts: [errors[0]] }]);
    });

    it('under a key that is a phone number is redacted with the key', async () => {
      const account = newAccount();
      const byPhone = [{ [JANE]: 'Aphrodite' }, { [JOHN]: 'Waldemar' }];
      await delivered(account, JSON.stringify({ byPhone }));
      await redact(account, JANE);
      expect(await exported(account, JANE)).toEqual([]);
      expect(await exported(account, JOHN)).toHaveLength(1);
    });

    it('in the metadata of a payout to another person shows nothing of that person, who keeps it', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payout = await recorded(
        store,
        aPayout(account, {
          guard: { keys: [{ key: 'a'.repeat(64) }] },
          recipients: [wallet(JOHN, 'Waldemar')],
          metadata: { soldTo: JANE },
        }),
      );
      await changed(store, payout, { state: 'succeeded', platformId: 'two' });
      const [record] = await exported(account, JANE);
      expect(record?.data).toMatchObject({ kind: 'payout', parts: [{ soldTo: JANE }] });
      expect(JSON.stringify(record)).not.toContain('Waldemar');
      await advance(DAY);
      expect((await redact(account, JANE)).left).toEqual([]);
      expect(await store.operations.find(account, payout.id)).toMatchObject({
        recipients: [wallet(JOHN, 'Waldemar')],
        metadata: null,
      });
    });

    it('is not left in the errors of a payout that failed in part', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payout = await recorded(
        store,
        aPayout(account, {
          guard: { keys: [{ key: 'a'.repeat(64) }, { key: 'b'.repeat(64) }] },
          transfers: [
            { type: 'mobile_wallet', amount: '50.00' },
            { type: 'mobile_wallet', amount: '50.00' },
          ],
          recipients: [wallet(JANE, 'Aphrodite'), wallet(JOHN, 'Waldemar')],
        }),
      );
      const errors = [`${JANE} is not registered`, 'Aphrodite is not registered'];
      await changed(store, payout, {
        state: 'partially_succeeded',
        platformId: 'three',
        errors,
        outcome: [
          { state: 'failed', transactionReference: null, errors },
          { state: 'paid', transactionReference: 'TWO', errors: [] },
        ] as never,
      });
      await advance(32 * DAY);
      expect((await redact(account, JANE)).left).toEqual([]);
      const after = await store.operations.find(account, payout.id);
      for (const gone of ['Aphrodite', JANE.slice(1)])
        expect(JSON.stringify(after)).not.toContain(gone);
      expect(after).toMatchObject({ recipients: [null, wallet(JOHN, 'Waldemar')] });
    });

    it.each([
      ['an error', { state: 'failed', reason: 'unknown', errors: [`${JANE} has declined`] }],
      [
        'the cause of a review',
        { state: 'needs_review', cause: 'no_evidence', causeDetail: `paid by ${JANE}` },
      ],
    ] as const)('is found in %s of an operation', async (_, set) => {
      const account = newAccount();
      const payment = await recorded(current().store, aPayment(account));
      await changed(current().store, payment, {
        ...set,
        errors: 'errors' in set ? [...set.errors] : [],
      });
      expect(await exported(account, JANE)).toHaveLength(1);
    });

    it('is found in the reference of a payment link', async () => {
      const account = newAccount();
      const link: NewLink = {
        ...asked(account),
        kind: 'payment_link',
        tills: ['514459'],
        tillNumber: '514459',
        order: null,
        paymentReference: JANE.slice(1),
        note: 'a chair',
        metadata: null,
        requestedBy: null,
      };
      await recorded(current().store, link);
      expect(await exported(account, JANE)).toHaveLength(1);
    });

    it('is removed from a dead letter of a payout, which keeps its ids', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const event = anEvent(account, 'wages');
      const destination = (phoneNumber: string) => ({
        type: 'mobile_wallet',
        amount: '50.00',
        recipient: { phoneNumber },
      });
      const payout = {
        id: 'wages',
        idempotencyKey: 'wages-of-march',
        requestedBy: JANE,
        errors: ['Aphrodite is not registered'],
        destinations: [destination(JANE), destination(JOHN)],
      };
      const payload = { ...event.payload, payout };
      await commitEvents(store, account, { ...event, payload } as unknown as NewEvent);
      const [call] = await claimCalls(store, account, [LISTENER], 1, 60_000);
      await store.events.finishCall(call!, { kind: 'given_up', error: 'failed' });
      await redact(account, JANE);
      await store.events.replayDeadLetters(account);
      const [again] = await claimCalls(store, account, [LISTENER], 1, 60_000);
      expect(again?.payload).toMatchObject({
        payout: {
          id: 'wages',
          idempotencyKey: 'wages-of-march',
          requestedBy: null,
          errors: [],
          destinations: [{ recipient: null }, destination(JOHN)],
        },
      });
    });

    it('stays in a dead letter while another listener waits for the same event', async () => {
      const { store } = current();
      const account = newAccount();
      const event = anEvent(account, 'two');
      await store.events.registerListeners(
        account,
        [LISTENER, 'Shop.other'].map((listener) => ({ event: event.name as never, listener })),
        'start',
      );
      const payload = { ...event.payload, senderPhoneNumber: JANE };
      await commitEvents(store, account, { ...event, payload } as unknown as NewEvent);
      const [call] = await claimCalls(store, account, [LISTENER], 1, 60_000);
      await store.events.finishCall(call!, { kind: 'given_up', error: 'failed' });
      const { redacted, left } = await redact(account, JANE);
      expect({ redacted, left }).toMatchObject({ redacted: 0, left: [{ kind: 'event' }] });
    });

    it('in a list of refunds is the own refund, and the list stays for the others', async () => {
      const account = newAccount();
      const platformId = randomUUID();
      await refunded(account, platformId);
      const list = [
        { id: platformId },
        { id: randomUUID(), phone: JOHN.slice(1), name: 'Zacharias' },
      ];
      const id = await delivered(account, JSON.stringify({ list }));
      expect(JSON.stringify(await exported(account, JANE))).not.toContain('Zacharias');
      await redact(account, JANE);
      expect(await current().store.deliveries.find(account, id)).not.toBeNull();
    });

    it('does not include a delivery with an id that only contains the id of the refund', async () => {
      const account = newAccount();
      await refunded(account, '4711');
      const id = await delivered(account, JSON.stringify({ id: '94711-x', phone: JOHN.slice(1) }));
      expect((await exported(account, JANE)).map((record) => record.id)).not.toContain(id);
      await redact(account, JANE);
      expect(await current().store.deliveries.find(account, id)).not.toBeNull();
    });
  });
}
