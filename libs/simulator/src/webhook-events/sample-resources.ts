import { randomUUID } from 'node:crypto';
import { settlementResource, type WireObject } from '../transactions/transaction.resource.js';
import { hashedPhone } from '../values/phone-number.js';
import { timestamp } from '../values/timestamp.js';
import { describeEventType, type EventType } from './event-types.constants.js';

const PHONE = '+254700000001';

/** Returns a complete sample resource of an event type. It supplies the fields that a caller of `emit` leaves out. */
export function sampleResource(topic: EventType, tillNumber: string, now: number): WireObject {
  const { status } = describeEventType(topic);
  const common = { id: randomUUID(), ...(status ? { status } : {}) };
  const transaction = {
    ...common,
    amount: '100.0',
    system: 'Lipa Na M-PESA',
    currency: 'KES',
    reference: sampleReference(),
    till_number: tillNumber,
    origination_time: timestamp(now),
  };
  const sender = { sender_first_name: 'Jane', sender_middle_name: '', sender_last_name: 'Doe' };
  switch (topic) {
    case 'buygoods_transaction_received':
    case 'buygoods_transaction_reversed':
      return {
        ...transaction,
        ...sender,
        sender_phone_number: PHONE,
        hashed_sender_phone: hashedPhone(PHONE),
      };
    case 'b2b_transaction_received':
    case 'b2b_transaction_reversed':
      return { ...transaction, sending_till: 'Corner Shop' };
    case 'card_transaction_received':
    case 'card_transaction_voided':
    case 'card_transaction_reversed':
      return cardTransaction(transaction, topic);
    case 'customer_created':
      return { first_name: 'Jane', middle_name: null, last_name: 'Doe', phone_number: PHONE };
    case 'settlement_transfer_completed':
      return settlement(common, now);
    case 'm2m_transaction_received': {
      // This event type has no reference and no till.
      const { reference: _reference, till_number: _till, system: _system, ...rest } = transaction;
      return { ...rest, sending_merchant: 'Corner Shop' };
    }
  }
}

/** A card transaction has no id, and only received money says whether it was settled. */
function cardTransaction(transaction: WireObject, topic: EventType): WireObject {
  const { id: _id, system: _system, ...rest } = transaction;
  return {
    ...rest,
    customer_cc_number: '411111******1111',
    ...(topic === 'card_transaction_received' ? { settled: false } : {}),
  };
}

function settlement({ id }: WireObject, now: number): WireObject {
  const destination = {
    reference: randomUUID(),
    account_name: 'Corner Shop',
    account_number: '0000000000',
    bank_branch_ref: randomUUID(),
    settlement_method: 'EFT',
  };
  const money = { amount: '100.0', reference: sampleReference(), now };
  return settlementResource({ id, type: 'Bank Account', destination, ...money });
}

/** Returns a reference that no transaction has. */
export function sampleReference(): string {
  return randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase();
}
