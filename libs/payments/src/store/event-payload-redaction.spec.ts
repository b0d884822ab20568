import { describe, expect, it } from '@jest/globals';
import { readCustomer } from '../platform/resources/customer.resource.js';
import { readResource } from '../platform/resource-table.js';
import { PAYMENT_LINK } from '../platform/resources/bare-payment-links.service.js';
import { readEnvelope, type ResourceEnvelope } from '../platform/wire-value.js';
import { REVERSAL } from '../platform/resources/reversals.service.js';
import { SEND_MONEY } from '../platform/resources/send-money.service.js';
import { readSettlement } from '../platform/resources/settlement.resource.js';
import { readTransaction } from '../platform/transaction.resource.js';
import { withoutPersons } from './redaction.js';

const envelope = (attributes: object): ResourceEnvelope =>
  readEnvelope({ data: { id: 'one', type: 'a', attributes } }) as ResourceEnvelope;

/** Every text that names a person contains this word, or is the phone number. */
const PERSON = 'Jane';
const PHONE = '254700000001';

const DESTINATION = {
  amount: 10,
  phone_number: PHONE,
  account_name: PERSON,
  account_number: `${PERSON}-1`,
  paybill_account_number: `${PERSON}-2`,
  nickname: PERSON,
  description: `for ${PERSON}`,
};

const NAMES = { first_name: PERSON, middle_name: PERSON, last_name: PERSON, phone_number: PHONE };

const PAYLOADS = {
  customer: readCustomer(NAMES, 'PAID1'),
  settlement: readSettlement(
    {
      id: 'PAID1',
      destination: {
        type: 'Mobile Wallet',
        resource: { ...NAMES, account_name: PERSON, account_number: PERSON },
      },
    },
    null,
  ),
  transaction: readTransaction(
    { reference: 'PAID1', customer_cc_number: PHONE.slice(-4), sender_phone_number: PHONE },
    'Card Transaction',
    'till',
    undefined,
  ),
  refund: { reference: 'PAID1', why: `${PERSON} asked`, metadata: { customer: PERSON } },
  sendMoney: readResource(
    SEND_MONEY,
    envelope({
      destinations: [DESTINATION],
      transfer_batches: [
        { errors: [PERSON], disbursements: [{ ...DESTINATION, transaction_reference: 'PAID1' }] },
      ],
      errors: `${PERSON} is unknown`,
      metadata: { customer: PERSON },
    }),
  ),
  reversal: readResource(
    REVERSAL,
    envelope({ transaction_reference: 'PAID1', reason: `${PERSON} asked` }),
  ),
  paymentLink: readResource(
    PAYMENT_LINK,
    envelope({
      note: `for ${PERSON}`,
      payment_reference: 'PAID1',
      payment_link: { status: 'Paid', initiator_name: PERSON, sender_phone_number: PHONE },
    }),
  ),
};

describe('The payload of an event', () => {
  it.each(Object.entries(PAYLOADS))(
    'with the field %s keeps references and names no person after redaction',
    (name, result) => {
      const text = JSON.stringify(withoutPersons({ eventId: 'e-1', [name]: result }));
      expect(text).toContain('PAID1');
      expect(text).not.toContain(PERSON);
      expect(text).not.toContain(PHONE.slice(-4));
    },
  );

  it('keeps the reason of a failure after redaction', () => {
    expect(withoutPersons({ reason: 'rejected' })).toEqual({ reason: 'rejected' });
  });
});
