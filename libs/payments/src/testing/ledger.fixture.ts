import { randomUUID } from 'node:crypto';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { Ledger } from '../ledger/ledger.js';
import type { NewPayment, PaymentsStore } from '../ledger/payments.store.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { resolveSettings } from '../payments.settings.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { Transaction } from '../resources/transaction.resource.js';

/** What a module has that was given no more than it needs. */
export const SETTINGS = resolveSettings(
  {
    baseUrl: 'https://platform.example',
    clientId: 'id',
    clientSecret: 'secret',
    publicUrl: 'https://shop.example',
    apiKeys: ['key'],
  },
  () => undefined,
);

/** A payment to be recorded, of another customer's order each time. */
export function aNewPayment(changes: Partial<NewPayment> = {}): NewPayment {
  return {
    id: randomUUID(),
    account: 'default',
    idempotencyKey: randomUUID(),
    channel: 'M-PESA STK Push',
    tillNumber: '514459',
    tills: ['514459'],
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
    amount: { currency: 'KES', value: '100.00' },
    amountMinor: '10000',
    metadata: null,
    allowParallel: true,
    inBackground: false,
    ...changes,
  };
}

/** The money of that payment. */
export function aTransaction(changes: Partial<Transaction> = {}): Transaction {
  return {
    id: 't',
    type: 'Buygoods Transaction',
    amount: '100.0',
    currency: 'KES',
    status: 'Received',
    system: null,
    reference: 'ONE',
    tillNumber: '514459',
    originationTime: '2026-01-20T22:45:12+03:00',
    senderFirstName: null,
    senderMiddleName: null,
    senderLastName: null,
    senderPhoneNumber: '+254700000001',
    hashedSenderPhone: null,
    sendingTill: null,
    raw: {},
    ...changes,
  };
}

/** What the platform says of it. */
export function anIncomingPayment(
  id: string,
  status: string,
  resource: Transaction | null,
  errors: string[] = [],
): IncomingPayment {
  return {
    id,
    initiationTime: null,
    status,
    event: { type: null, resource, errors },
    metadata: null,
    links: { callbackUrl: null, self: null },
    raw: {},
  };
}

/** A ledger on a store, and nothing else. */
export function aLedger(
  store: PaymentsStore,
  settings: Partial<ResolvedPaymentsOptions> = {},
): Ledger {
  return new Ledger(store, new LedgerFeed(new ClosingSignal()), new PlatformClock(), {
    ...SETTINGS,
    ...settings,
  });
}
