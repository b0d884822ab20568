import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PersonalDataService } from '@tillkit/payments';
import type { PersonalRecord } from '@tillkit/payments/types';
import { aPayout, aRequestFrom, aWallet, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';

const JANE = '+254700000001';

let merchant: Merchant;
let lines: string[];

beforeEach(async () => {
  lines = [];
  merchant = await Merchant.open({
    configure: (app) => {
      const log = (line: unknown): void => void lines.push(String(line));
      app.useLogger({ log, warn: log, error: log });
    },
  });
});
afterEach(() => merchant.close());

const exported = async (phoneNumber: string): Promise<PersonalRecord[]> => {
  const records: PersonalRecord[] = [];
  for await (const record of merchant.app.get(PersonalDataService).export({ phoneNumber }))
    records.push(record);
  return records;
};
const redact = (phoneNumber: string, by = 'jane@shop.example', note = 'her request') =>
  merchant.app.get(PersonalDataService).redact({ phoneNumber, by, note });
/** A delivery that has just come waits to be processed, and is left until then. */
const untilNothingIsLeft = (phoneNumber: string): Promise<void> =>
  until(async () => (await redact(phoneNumber)).left.length === 0);

it('The export for a customer contains all that is stored of a payment, and nothing after the redaction', async () => {
  const request = aRequestFrom(JANE);
  const { id } = await merchant.payments.request(request);
  await merchant.payments.settled(id);
  await merchant.received.next('payment.succeeded');
  await merchant.simulator.idle();
  const kinds = new Set((await exported('0700 000 001')).map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(expect.arrayContaining(['delivery', 'operation']));
  await untilNothingIsLeft(JANE);
  expect(await exported(JANE)).toEqual([]);
  expect((await merchant.payments.find(id))?.subscriber.phoneNumber).toBe('');
  // The same key never charges twice, also without the number that it was for.
  expect((await merchant.payments.request(request)).id).toBe(id);
});

it('A redaction leaves the open payment of a customer, and names it', async () => {
  const { id } = await merchant.payments.request(aRequestFrom('+254700000014'));
  const { redacted, left } = await redact('+254700000014');
  expect(redacted).toBe(0);
  expect(left).toEqual([{ kind: 'operation', id, at: expect.any(Date) }]);
});

it('What is stored of a refund belongs to the customer who paid, and is redacted with the payment', async () => {
  const { id: paymentId } = await merchant.payments.request(aRequestFrom(JANE));
  await merchant.received.next('payment.succeeded');
  const why = 'Jane changed her mind';
  const { id } = await merchant.refunds.request({ idempotencyKey: 'back', paymentId, why });
  const records = await exported(JANE);
  expect(records).toContainEqual(expect.objectContaining({ kind: 'operation', id }));
  expect(JSON.stringify(records)).toContain(why);
  await merchant.refunds.settled(id);
  await merchant.received.next('payment.reversed');
  await merchant.simulator.idle();
  await untilNothingIsLeft(JANE);
  expect((await merchant.refunds.find(id))?.why).toBe('');
  expect(await exported(JANE)).toEqual([]);
});

it('What is stored of a payout to several gives each of them what is about him, and nothing of the others', async () => {
  const amount = { currency: 'KES', value: '5000.00' };
  const { id: paymentId } = await merchant.payments.request(aRequestFrom(JANE, { amount }));
  await merchant.payments.settled(paymentId);
  // The test searches rows for the amount of the other person, and no time looks like it.
  const destinations = [
    aWallet('+254700000051', '10.00'),
    aWallet('+254700000061', '4321.00'),
  ] as const;
  const { id } = await merchant.payouts.request(aPayout({ destinations }));
  await merchant.payouts.settled(id);
  await merchant.simulator.idle();
  const records = await exported('+254700000051');
  expect(records).toContainEqual({
    kind: 'operation',
    id,
    at: expect.any(Date),
    data: {
      kind: 'payout',
      state: 'succeeded',
      createdAt: expect.any(Date),
      parts: [destinations[0]],
    },
  });
  expect(JSON.stringify(records)).not.toContain('254700000061');
  expect(JSON.stringify(records)).not.toContain('4321.0');
});

it('The log says who has redacted whom and why, with a mask', async () => {
  await redact(JANE);
  const line = lines.find((each) => each.includes('was redacted by jane@shop.example'));
  expect(line).toMatch(/0 rows.*her request/);
  expect(lines.join('\n')).not.toContain('254700000001');
});

it.each([
  [
    'no phone number',
    () => redact('jane'),
    /phoneNumber is no phone number: write it in international form/,
  ],
  ['nobody who does it', () => redact(JANE, ' '), /by is empty: say who redacts, and why/],
  ['no reason', () => redact(JANE, 'jane', ''), /note is empty/],
])('A redaction with %s is refused, and redacts nothing', async (_, wrong, message) => {
  await expect(wrong()).rejects.toThrow(message);
});
