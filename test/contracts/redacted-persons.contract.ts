import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { PersonalDataService } from '@tillkit/payments';
import type { PersonRedaction } from '@tillkit/payments/types';
import { phoneHash } from '@tillkit/payments/internal/store';
import {
  aDelivery,
  callbackUrlOf,
  deliveriesOf,
} from '../../libs/payments/src/testing/deliveries.fixture.js';
import {
  aLedger,
  anIncomingPayment,
  anObservedTransaction,
  aPendingPayment,
  aTransaction,
  shownPayment,
  type LedgerUnderTest,
} from '../../libs/payments/src/testing/ledger.fixture.js';
import type { PaymentRecord } from '../../libs/payments/src/operations/payments/payment.js';
import type { Transaction } from '../../libs/payments/src/money/transaction.js';
import { Runtime } from '../../libs/payments/src/runtime/clock.js';
import { runs } from '../support/thorough.js';
import { until } from '../support/until.js';
import { textOf } from './text-of.js';
import { readEnvelope } from '../../libs/payments/src/platform/wire-value.js';
import {
  aPayment,
  aPayout,
  aRefund,
  claimCalls,
  LISTENER,
  newAccount,
  recorded,
  type NewPayout,
  type NewRefund,
  type StoreUnderTest,
} from './store-under-test.js';

const DAY = 86_400_000;

type Recipient = NonNullable<NewPayout['recipients'][number]>;

const TO_WALLET = { type: 'mobile_wallet', amount: '100' } as const;

const EVENTS = [
  'payment.succeeded',
  'payment.failed',
  'payment.needs_review',
  'payment.reversed',
  'till.transaction.received',
  'till.transaction.reversed',
] as const;

/** A customer whom no other test has. */
interface Person {
  phoneNumber: string;
  firstName: string;
  lastName: string;
  email: string;
  /** A value of the metadata. */
  pet: string;
}

/** Other tests use the numbers below. */
let persons = 100;

function aPerson(): Person {
  const n = String((persons += 1));
  return {
    phoneNumber: `+254700000${n}`,
    firstName: `Aphrodite${n}x`,
    lastName: `Waldemar${n}x`,
    email: `aphrodite.${n}@example.com`,
    pet: `Lighthouse${n}x`,
  };
}

/** Returns everything by which a person is known, in every spelling. */
function namesOf(person: Person): string[] {
  const { phoneNumber, firstName, lastName, email, pet } = person;
  const numbers = [phoneNumber, phoneNumber.slice(1), nationalOf(person), phoneHash(phoneNumber)];
  return [...numbers, firstName, lastName, email, pet];
}

/** Returns the number as people write it in its country. */
function nationalOf({ phoneNumber }: Pick<Person, 'phoneNumber'>): string {
  return phoneNumber.replace('+254', '0');
}

/** Evidence about a payment that comes after the data of its person were redacted. */
const LATE = [
  'the same success',
  'another transaction',
  'a failure that names the person',
  'a success with errors that name the person',
  'a status that names the person',
  'a webhook of the money',
  'a webhook of the money by another payer',
  'a reversal',
  'a list with the money',
] as const;

/** A redaction leaves these for now, and says so. Nothing else may name the person. */
const LEFT = {
  'a payment without an outcome': 'its outcome needs the number',
  'money that no payment has': 'it may still be matched, for 31 days',
  'a bare request': 'money that arrives may belong to it, for 31 days',
  'a delivery that waits': 'it is deleted when it is processed, or by the next redaction',
  'an event that a listener has not handled': 'the listener needs it',
} as const;

/** A redaction leaves nothing of a person, and nothing that comes later brings the person back. */
export function describeRedactedPersons(current: () => StoreUnderTest): void {
  interface Shop extends LedgerUnderTest {
    account: string;
  }
  const open = async (): Promise<Shop> => {
    const { store } = current();
    const account = newAccount();
    const under = aLedger(store, { account });
    await store.events.registerListeners(
      account,
      EVENTS.map((event) => ({ event, listener: LISTENER })),
      'start',
    );
    return { ...under, account };
  };
  /** Returns the service of this process, or of another one. */
  const personalDataOf = async (
    { account, records }: Shop,
    isElsewhere: boolean,
  ): Promise<PersonalDataService> => {
    const { store } = current();
    // The time of the store, which tests have moved.
    const { createdAt } = await recorded(store, aPayment(newAccount()));
    const settings = { current: { account, defaultCountry: 'KE' } } as const;
    const clock = { now: () => createdAt.getTime() };
    const remembered = isElsewhere ? undefined : (records as never);
    return new PersonalDataService(store.retention, settings, clock, remembered);
  };
  const redact = async (
    shop: Shop,
    { phoneNumber }: Person,
    isElsewhere = false,
  ): Promise<PersonRedaction> =>
    (await personalDataOf(shop, isElsewhere)).redact({
      phoneNumber,
      by: 'jane@shop.example',
      note: 'her request',
    });
  /** Returns the places that still name a person: in the tables or the memory of the store, or in what the process remembers. */
  const named = async (shop: Shop, person: Person): Promise<string[]> =>
    anyNamed([{ shop, person }]);
  const anyNamed = async (
    persons: readonly { shop: Shop; person: Person }[],
  ): Promise<string[]> => {
    const store = await current().everything();
    return persons.flatMap(({ shop, person }) =>
      Object.entries({ store, process: textOf(shop.records) }).flatMap(([place, text]) =>
        namesOf(person)
          .filter((name) => text.includes(name))
          .map((name) => `${name} in the ${place}: ${around(text, name)}`),
      ),
    );
  };
  const paidBy = (person: Person, changes: Partial<Transaction> = {}): Transaction =>
    aTransaction({
      reference: `PAID${person.pet}`.replace('Lighthouse', ''),
      senderPhoneNumber: person.phoneNumber,
      senderFirstName: person.firstName,
      senderLastName: person.lastName,
      raw: { sender_first_name: person.firstName, email: person.email },
      ...changes,
    });
  const pending = ({ account, ...under }: Shop, { pet, email, ...person }: Person) =>
    aPendingPayment({ ...under }, `platform-${pet}`.replace('Lighthouse', ''), {
      account,
      subscriber: { ...person, email },
      metadata: { pet, phone: nationalOf(person) },
    });
  const platformIdOf = ({ platformId }: PaymentRecord): string => platformId as string;
  /** Returns the body of a callback. */
  const callback = (payment: PaymentRecord, person: Person, status: string, changes = {}): Buffer =>
    Buffer.from(
      JSON.stringify({
        data: {
          id: platformIdOf(payment),
          type: 'incoming_payment',
          attributes: {
            status,
            event: { type: 'Incoming Payment Request', resource: null, errors: null, ...changes },
            metadata: { pet: person.pet },
            _links: { callback_url: callbackUrlOf(payment.id), self: null },
          },
        },
      }),
    );
  const wire = (transaction: Transaction): object => ({
    id: transaction.id,
    amount: transaction.amount,
    currency: transaction.currency,
    status: transaction.status,
    reference: transaction.reference,
    till_number: transaction.tillNumber,
    origination_time: transaction.originationTime,
    sender_phone_number: transaction.senderPhoneNumber,
    sender_first_name: transaction.senderFirstName,
    sender_last_name: transaction.senderLastName,
  });
  const webhook = (transaction: Transaction): Buffer =>
    Buffer.from(
      JSON.stringify({
        topic: `buygoods_transaction_${transaction.status === 'Reversed' ? 'reversed' : 'received'}`,
        id: `webhook-${(persons += 1)}`,
        event: { type: transaction.type, resource: wire(transaction) },
      }),
    );
  /** Takes in signed deliveries, and processes them. */
  const deliver = async (
    shop: Shop,
    deliveries: readonly { kind: 'callback' | 'webhook'; body: Buffer }[],
  ): Promise<void> => {
    const { inbox, processor } = deliveriesOf(shop, new Runtime());
    const { account, store } = shop;
    processor.onApplicationBootstrap();
    for (const { kind, body } of deliveries) {
      const where = { account, kind, body };
      const callbackOnly = kind === 'callback' ? {} : { resource: null, resourceId: null };
      await inbox.accept(aDelivery(null, { ...where, ...callbackOnly }));
      await until(async () => (await store.statistics.backlog(account)).deliveries === 0);
    }
    await processor.onModuleDestroy();
  };
  const finishCalls = async ({ account }: Shop, kind: 'done' | 'given_up', error: string) => {
    const { store } = current();
    for (;;) {
      const calls = await claimCalls(store, account, [LISTENER], 10, 60_000);
      if (calls.length === 0) return;
      for (const call of calls)
        await store.events.finishCall(call, kind === 'done' ? { kind } : { kind, error });
    }
  };
  /** Returns a payment that succeeded, with all that was stored on the way. */
  const paid = async (shop: Shop, person: Person): Promise<PaymentRecord> => {
    const payment = await pending(shop, person);
    await deliver(shop, [
      { kind: 'callback', body: callback(payment, person, 'Pending') },
      {
        kind: 'callback',
        body: callback(payment, person, 'Success', { resource: wire(paidBy(person)) }),
      },
      { kind: 'webhook', body: webhook(paidBy(person)) },
      // No version of ours knows this webhook, and it names the number only as people write it.
      { kind: 'webhook', body: Buffer.from(`{"topic":"news","of":"${nationalOf(person)}"}`) },
    ]);
    return shop.ledger.find(payment);
  };
  const walletOf = ({ phoneNumber, firstName }: Person): Recipient => ({
    ...TO_WALLET,
    phoneNumber,
    network: 'Safaricom',
    description: 'wages',
    nickname: firstName,
  });
  /** Returns a payout or refund that the platform has. */
  const pendingMoneyOut = async (
    { store, answers }: Shop,
    asked: NewPayout | NewRefund,
  ): Promise<PaymentRecord> => {
    const operation = await recorded(store, asked);
    // These parts are typed for payments, and treat every kind alike.
    const requested = await answers.markRequested(operation as never, 'one');
    return answers.apply(requested!, { kind: 'created', id: `platform-${operation.id}` });
  };
  /** The platform says these attributes of a payout or a refund. */
  const saysOf = async (
    shop: Shop,
    { id, kind, platformId }: PaymentRecord,
    attributes: object,
    by: 'delivery' | 'read',
  ): Promise<void> => {
    const isPayout = (kind as string) === 'payout';
    const resource = isPayout ? 'send-money' : 'reversals';
    const _links = { callback_url: callbackUrlOf(id, resource), self: null };
    const type = isPayout ? 'send_money' : 'reversal';
    const body = { data: { id: platformId, type, attributes: { ...attributes, _links } } };
    if (by === 'delivery')
      return deliver(shop, [{ kind: 'callback', body: Buffer.from(JSON.stringify(body)) }]);
    const operation = await shop.ledger.find({ account: shop.account, id });
    const shown = shop.kinds.kind(operation).show(readEnvelope(body)!);
    await shop.evidence.apply(operation, shown, 'status');
  };
  const saysLate = async (
    shop: Shop,
    payment: PaymentRecord,
    person: Person,
    late: (typeof LATE)[number],
    by: 'delivery' | 'read',
  ): Promise<void> => {
    const said = saidLate(person, late);
    if ('observed' in said) {
      if (by === 'delivery')
        await deliver(shop, [{ kind: 'webhook', body: webhook(said.observed) }]);
      else
        await shop.tills.observe(
          anObservedTransaction(said.observed, { account: shop.account, via: 'sweep' }),
        );
      return;
    }
    const { status, transaction, errors } = said;
    const content = { resource: transaction && wire(transaction), errors: errors[0] ?? null };
    if (by === 'delivery')
      await deliver(shop, [{ kind: 'callback', body: callback(payment, person, status, content) }]);
    else {
      const shown = anIncomingPayment(platformIdOf(payment), status, transaction, errors);
      await shop.evidence.apply(await shop.ledger.find(payment), shownPayment(shown), 'status');
    }
  };
  const saidLate = (
    person: Person,
    late: (typeof LATE)[number],
  ):
    | { observed: Transaction }
    | { status: string; transaction: Transaction | null; errors: string[] } => {
    const quoted = `${person.firstName} of ${person.phoneNumber} is not known`;
    const shown = (status: string, transaction: Transaction | null, ...errors: string[]) => ({
      status,
      transaction,
      errors,
    });
    switch (late) {
      case 'the same success':
        return shown('Success', paidBy(person));
      case 'another transaction':
        return shown('Success', paidBy(person, { reference: `MORE${(persons += 1)}`, id: 'more' }));
      case 'a failure that names the person':
        return shown('Failed', null, quoted);
      case 'a success with errors that name the person':
        return shown('Success', paidBy(person), quoted);
      case 'a status that names the person':
        return shown(quoted, null);
      case 'a webhook of the money':
      case 'a list with the money':
        return { observed: paidBy(person) };
      case 'a webhook of the money by another payer':
        return {
          observed: paidBy(person, {
            amount: '7.00',
            originationTime: '2026-02-20T22:45:12+03:00',
          }),
        };
      case 'a reversal':
        return { observed: paidBy(person, { status: 'Reversed' }) };
    }
  };

  describe('a person whose data was redacted', () => {
    it('is named before the redaction', async () => {
      const [shop, person] = [await open(), aPerson()];
      await paid(shop, person);
      expect((await named(shop, person)).length).toBeGreaterThan(0);
    });

    it('is named nowhere in the store and in the process, and by nothing that comes later', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('done', 'given_up'),
          fc.array(fc.tuple(fc.constantFrom(...LATE), fc.constantFrom('delivery', 'read')), {
            minLength: 1,
            maxLength: 4,
          }),
          async (handled, lates) => {
            const shop = await open();
            const person = aPerson();
            const payment = await paid(shop, person);
            await current().store.anomalies.record(
              shop.account,
              `unknown status ${person.firstName} ${person.lastName}`,
              payment.id,
            );
            await finishCalls(shop, handled, `no mail to ${person.email}`);
            expect((await redact(shop, person)).left).toEqual([]);
            for (const [late, by] of lates) await saysLate(shop, payment, person, late, by);
            expect(await named(shop, person)).toEqual([]);
            await finishCalls(shop, 'done', '');
            expect((await redact(shop, person)).left).toEqual([]);
          },
        ),
        { numRuns: runs(200), examples: LATE.map((late) => ['done', [[late, 'delivery']]]) },
      );
    });

    it('is not written again by a process that remembers the payment and its money', async () => {
      const shop = await open();
      const person = aPerson();
      const payment = await paid(shop, person);
      await finishCalls(shop, 'done', '');
      const remembered = shop.records.operation(shop.account, payment.id)!;
      const money = shop.records.transaction(shop.account, paidBy(person).reference!)!;
      await redact(shop, person, true);
      const { version } = await shop.ledger.find(payment);
      expect(version).toBeGreaterThan(remembered.version);
      const { transaction } = remembered;
      expect(
        await shop.ledger.commit(remembered, { via: 'status', set: { transaction } }),
      ).toBeNull();
      const { reference, sums } = money;
      const change = { reference, sums, version: money.version };
      const commit = { account: shop.account, transaction: change, events: [], history: [] };
      expect(await shop.commits.commit(commit)).toBeNull();
      shop.records.clear();
      expect(await named(shop, person)).toEqual([]);
    });

    it('of a payment that failed is named by nothing that comes later, also where it says that money came', async () => {
      const says = LATE.filter((late) => !('observed' in saidLate(aPerson(), late)));
      const failed = await Promise.all(
        says.flatMap((late) =>
          (['delivery', 'read'] as const).map(async (by) => {
            const [shop, person] = [await open(), aPerson()];
            const payment = await pending(shop, person);
            await saysLate(shop, payment, person, 'a failure that names the person', 'delivery');
            await finishCalls(shop, 'done', '');
            return { shop, person, payment, late, by };
          }),
        ),
      );
      await current().advance(32 * DAY);
      const states: string[] = [];
      for (const { shop, person, payment, late, by } of failed) {
        expect((await redact(shop, person)).left).toEqual([]);
        await saysLate(shop, payment, person, late, by);
        const { state, cause, causeDetail } = await shop.ledger.find(payment);
        states.push(`${late}: ${state} ${cause} ${causeDetail}`);
      }
      expect(await anyNamed(failed)).toEqual([]);
      expect(states).toContainEqual(
        expect.stringMatching(
          /^a success with errors.*: needs_review paid_after_failure the platform says Success, names errors and shows transaction PAID\d+x$/,
        ),
      );
    });

    it.each(['delivery', 'read'] as const)(
      'among several of a payout is named by no result that comes later, by a %s, and the others keep their names',
      async (by) => {
        const shop = await open();
        const [person, other] = [aPerson(), aPerson()];
        const payout = await pendingMoneyOut(
          shop,
          aPayout(shop.account, {
            transfers: [TO_WALLET, TO_WALLET],
            recipients: [walletOf(person), walletOf(other)],
            amount: { currency: 'KES', value: '200.00' },
            amountMinor: '20000',
          }),
        );
        const disbursement = (to: Person, status: string, ...errors: string[]): object => ({
          status,
          destination_type: 'mobile_wallet',
          phone_number: to.phoneNumber.slice(1),
          amount: '100.0',
          transaction_reference:
            status === 'Transferred' ? `T${to.pet}`.replace('Lighthouse', '') : null,
          errors,
        });
        const result = (status: string, ...errors: string[]): object => ({
          status: 'Processed',
          transfer_batches: [
            { status, disbursements: [disbursement(person, status, ...errors)] },
            { status: 'Transferred', disbursements: [disbursement(other, 'Transferred')] },
          ],
        });
        await saysOf(shop, payout, result('Transferred'), by);
        expect((await shop.ledger.find(payout)).state).toBe('succeeded');
        await finishCalls(shop, 'done', '');
        await current().advance(DAY);
        expect((await redact(shop, person)).left).toEqual([]);
        expect(await named(shop, person)).toEqual([]);
        const unknown = `${person.firstName} of ${person.phoneNumber} is not known`;
        await saysOf(shop, payout, result('Transferred'), by);
        await saysOf(shop, payout, result('Cancelled', unknown), by);
        await saysOf(shop, payout, result('Transferred', unknown), by);
        await saysOf(shop, payout, result(unknown), by);
        expect(await named(shop, person)).toEqual([]);
        const { recipients } = (await shop.ledger.find(payout)) as unknown as NewPayout;
        expect(recipients).toEqual([null, walletOf(other)]);
      },
    );

    it.each(['delivery', 'read'] as const)(
      'whose money was refunded is named by no result of the refund that comes later, by a %s',
      async (by) => {
        const shop = await open();
        const person = aPerson();
        const payment = await paid(shop, person);
        const refund = await pendingMoneyOut(
          shop,
          aRefund(shop.account, {
            paymentId: payment.id,
            reference: paidBy(person).reference!,
            why: `${person.firstName} sent it back`,
          }),
        );
        const result = (status: string, ...errors: string[]): object => ({
          status,
          reason: `${person.firstName} sent it back`,
          transaction_reference: paidBy(person).reference,
          reversal_bulk_payment: {
            status,
            amount: '100.0',
            transaction_reference:
              status === 'Transferred' ? `R${person.pet}`.replace('Lighthouse', '') : null,
            errors,
          },
        });
        await saysOf(shop, refund, result('Transferred'), by);
        expect((await shop.ledger.find(refund)).state).toBe('succeeded');
        await finishCalls(shop, 'done', '');
        await current().advance(DAY);
        expect((await redact(shop, person)).left).toEqual([]);
        expect(await named(shop, person)).toEqual([]);
        const unknown = `${person.firstName} of ${person.phoneNumber} is not known`;
        await saysOf(shop, refund, result('Transferred'), by);
        await saysOf(shop, refund, result('Cancelled', unknown), by);
        await saysOf(shop, refund, result('Transferred', unknown), by);
        expect(await named(shop, person)).toEqual([]);
      },
    );

    it('whose money a bare request took is named by no event of it that comes later', async () => {
      const shop = await open();
      const person = aPerson();
      await shop.tills.observe(
        anObservedTransaction(paidBy(person), { account: shop.account, announce: false }),
      );
      const attributes = (): object => ({
        status: 'Success',
        event: { type: 'Incoming Payment Request', resource: wire(paidBy(person)), errors: null },
        metadata: { pet: person.pet },
        _links: { callback_url: callbackUrlOf('bare-1'), self: null },
      });
      const body = (id: string): Buffer =>
        Buffer.from(
          JSON.stringify({ data: { id, type: 'incoming_payment', attributes: attributes() } }),
        );
      await deliver(shop, [{ kind: 'callback', body: body('bare-result') }]);
      await finishCalls(shop, 'done', '');
      expect((await redact(shop, person)).left).toEqual([]);
      expect(await named(shop, person)).toEqual([]);
      await deliver(shop, [
        { kind: 'callback', body: body('bare-result') },
        { kind: 'callback', body: body('another-id') },
      ]);
      expect(await named(shop, person)).toEqual([]);
    });

    it('has the payment reversed all the same by a reversal after the redaction', async () => {
      const shop = await open();
      const person = aPerson();
      const payment = await paid(shop, person);
      await finishCalls(shop, 'done', '');
      await redact(shop, person);
      await saysLate(shop, payment, person, 'a reversal', 'delivery');
      expect((await shop.ledger.find(payment)).state).toBe('reversed');
      const [call] = await claimCalls(current().store, shop.account, [LISTENER], 10, 60_000);
      expect(call?.payload).toMatchObject({ transaction: { amount: '100.0', status: 'Reversed' } });
      expect(await named(shop, person)).toEqual([]);
    });

    it.each(Object.keys(LEFT) as (keyof typeof LEFT)[])(
      'is still named by %s, which the redaction reports as left',
      async (exception) => {
        const shop = await open();
        const { account, store } = shop;
        const person = aPerson();
        const { phoneNumber } = person;
        const kinds = async (): Promise<string[]> =>
          (await redact(shop, person)).left.map(({ kind }) => kind);
        switch (exception) {
          case 'a payment without an outcome':
            await pending(shop, person);
            return expect(await kinds()).toEqual(['operation']);
          case 'money that no payment has':
            await shop.tills.observe(
              anObservedTransaction(paidBy(person), { account, announce: false }),
            );
            return expect(await kinds()).toEqual(['transaction']);
          case 'a bare request': {
            const payerHash = phoneHash(phoneNumber);
            await store.bareRequests.keep(account, {
              id: 'b-1',
              resource: 'incoming-payments',
              platformId: null,
              sentAt: new Date(),
              money: { currency: 'KES', amountMinor: '100', payerHash },
            });
            return expect(await kinds()).toEqual(['bare_request']);
          }
          case 'a delivery that waits': {
            const payment = await paid(shop, person);
            await finishCalls(shop, 'done', '');
            // This callback names no number, only metadata.
            const body = callback(payment, person, 'Failed');
            // No process works on the delivery yet.
            await deliveriesOf(shop, new Runtime()).inbox.accept(
              aDelivery(null, { account, body }),
            );
            expect((await kinds()).toSorted()).toEqual(['delivery', 'operation']);
            await deliver(shop, []);
            return;
          }
          case 'an event that a listener has not handled': {
            await paid(shop, person);
            expect(await kinds()).toContain('event');
            await finishCalls(shop, 'done', '');
            expect(await kinds()).toEqual([]);
            return expect(await named(shop, person)).toEqual([]);
          }
        }
      },
    );
  });
}

/** Returns the surroundings of a name in a text, so that a failure shows where it stands. */
function around(text: string, name: string): string {
  const at = text.indexOf(name);
  return text.slice(Math.max(0, at - 200), at + 100).replaceAll(/\s+/g, ' ');
}
