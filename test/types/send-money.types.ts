/**
 * A request that could send money to the wrong place, or ALL funds by accident, must not compile. This file is checked by
 * `npm run typecheck`: an error that does not occur is an error.
 */
import type {
  CreateExternalRecipientDto,
  CreateSendMoneyDto,
  CreateSettlementTransferDto,
  RequestPayout,
  RequestRefund,
} from '@tillkit/payments';
import type { SendMoneyDestination } from '@tillkit/payments/types';

const currency = 'KES';
const amount = '1000.00';
const till: SendMoneyDestination = { type: 'till', tillNumber: '1', amount, description: 'Stock' };
const none: SendMoneyDestination[] = [];

export const right: CreateSendMoneyDto[] = [
  { currency, destinations: [till] },
  { currency, destinations: [till, { type: 'merchant_wallet', reference: 'w', amount }] },
  { currency, sweepAllFunds: true },
];

export const wrong: CreateSendMoneyDto[] = [
  // @ts-expect-error no destinations
  { currency },
  // @ts-expect-error an empty list of destinations
  { currency, destinations: [] },
  // @ts-expect-error null as destinations
  { currency, destinations: null },
  // @ts-expect-error a list that may be empty
  { currency, destinations: none },
  // @ts-expect-error destinations and sweepAllFunds
  { currency, destinations: [till], sweepAllFunds: true },
  // @ts-expect-error sweepAllFunds: false
  { currency, sweepAllFunds: false },
];

export const wrongDestinations: SendMoneyDestination[] = [
  // @ts-expect-error an unknown type
  { type: 'crypto', amount, description: 'Stock' },
  // @ts-expect-error a field of another type
  { type: 'till', tillNumber: '1', amount, description: 'Stock', phoneNumber: '+254700000001' },
  // @ts-expect-error an unknown field
  { type: 'merchant_wallet', reference: 'w', amount, note: 'n' },
  // @ts-expect-error an amount that is a number
  { type: 'merchant_wallet', reference: 'w', amount: 1_000 },
  // @ts-expect-error no till number
  { type: 'till', amount, description: 'Stock' },
];

export const wrongRecipients: CreateExternalRecipientDto[] = [
  // @ts-expect-error a field of another type
  { type: 'till', tillName: 'Shop', tillNumber: '1', network: 'Safaricom' },
];

export const wrongTransfers: CreateSettlementTransferDto[] = [
  // @ts-expect-error no amount
  {},
  // @ts-expect-error an amount and sweepAllFunds
  { amount: { currency, value: amount }, sweepAllFunds: true },
];

const idempotencyKey = 'k';
const why = 'Out of stock';

export const wrongPayouts: RequestPayout[] = [
  // @ts-expect-error no destinations
  { idempotencyKey, currency },
  // @ts-expect-error an empty list of destinations
  { idempotencyKey, currency, destinations: [] },
  // @ts-expect-error all funds
  { idempotencyKey, currency, sweepAllFunds: true },
  // @ts-expect-error a destination with a field of another type
  { idempotencyKey, currency, destinations: [{ ...till, accountNumber: '1' }] },
];

export const rightRefunds: RequestRefund[] = [
  { idempotencyKey, why, paymentId: 'p' },
  { idempotencyKey, why, reference: 'R', tillNumber: '1' },
];

export const wrongRefunds: RequestRefund[] = [
  // @ts-expect-error nothing to refund
  { idempotencyKey, why },
  // @ts-expect-error a reference without its till
  { idempotencyKey, why, reference: 'R' },
  // @ts-expect-error a payment and a reference
  { idempotencyKey, why, paymentId: 'p', reference: 'R', tillNumber: '1' },
];
