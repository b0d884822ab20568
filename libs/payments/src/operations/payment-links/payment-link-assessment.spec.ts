import { describe, expect, it } from '@jest/globals';
import { readResource } from '../../platform/resource-table.js';
import {
  PAYMENT_LINK,
  type PaymentLinkResource,
} from '../../platform/resources/bare-payment-links.service.js';
import { readEnvelope } from '../../platform/wire-value.js';
import { aPaymentLinkRecord } from '../../testing/operations.fixture.js';
import { assessPaymentLink, decidePaymentLink } from './payment-link.kind.js';
import type { PaymentLinkRecord } from './payment-link.js';
import { failureReason } from '../../money/known-failures.js';

const LINK = aPaymentLinkRecord();

type Wire = Record<string, unknown>;

const URL_OF = { link: 'https://pay.example/links/1', expires_at: '2026-01-27T12:00:00Z' };

const shown = (link: Wire | null, changes: Wire = {}): PaymentLinkResource => {
  const attributes = {
    status: 'Processed',
    till_number: '514459',
    currency: 'KES',
    amount: '100.0',
    payment_link: link,
    ...changes,
  };
  const data = { id: 'platform-1', type: 'payment_link', attributes };
  return readResource(PAYMENT_LINK, readEnvelope({ data })!);
};

const active = shown({ payment_link_status: 'active', ...URL_OF });
const paid = (changes: Wire = {}, of: Wire = {}): PaymentLinkResource =>
  shown({ status: 'Paid', transaction_reference: 'ONE', ...URL_OF, ...of }, changes);

const assessed = (resource: PaymentLinkResource) => assessPaymentLink(LINK, resource, {});

const decided = (resource: PaymentLinkResource, changes: Partial<PaymentLinkRecord> = {}) =>
  decidePaymentLink({ ...LINK, ...changes }, assessed(resource), {
    tiedTo: null,
    received: null,
    transfersOfOthers: new Map(),
    reversal: null,
    otherTill: null,
    isRead: true,
    isOwnRead: true,
    at: null,
    reasonOf: failureReason,
  });

describe('what the platform shows of a payment link', () => {
  it('is its URL and its end while it can be paid', () => {
    expect(assessed(active)).toEqual({
      money: { kind: 'open', unknownStatus: null },
      outcome: { url: URL_OF.link, expiresAt: Date.parse(URL_OF.expires_at) },
    });
  });

  it('proves the payment when it is Paid and names its transaction, till and amount', () => {
    expect(assessed(paid()).money).toMatchObject({
      kind: 'succeeded',
      transaction: { reference: 'ONE', amount: '100.0', currency: 'KES', tillNumber: '514459' },
    });
  });

  it('proves no payment when it is Processed only', () => {
    expect(assessed(shown(null)).money).toEqual({ kind: 'open', unknownStatus: null });
  });

  it.each(['Paid', 'paid'])('proves no payment when it is %s without a transaction', (status) => {
    expect(assessed(shown({ status })).money).toEqual({ kind: 'no_transaction' });
    expect(assessed(shown({ status, transaction_reference: ' ' })).money.kind).toBe(
      'no_transaction',
    );
  });

  it.each([
    ['Cancelled', 'cancelled'],
    ['expired', 'expired'],
  ])('with the status %s is a failure with the reason %s', (status, reason) => {
    const { money } = assessed(shown({ payment_link_status: status }));
    expect(money).toMatchObject({ kind: 'failed', reason });
  });

  it.each([
    [
      'with a transaction of a cancelled link',
      'failed_with_transaction',
      paid({}, { status: 'Cancelled' }),
    ],
    [
      'with a transaction of an open link',
      'failed_with_transaction',
      paid({}, { status: 'Active' }),
    ],
    ['with errors', 'success_with_errors', paid({ errors: ['odd'] })],
    ['with an amount that cannot be read', 'unreadable_amount', paid({ amount: 'a lot' })],
    ['with another amount', 'amount_mismatch', paid({ amount: '99' })],
    ['with another currency', 'currency_mismatch', paid({ currency: 'UGX' })],
    ['with another till', 'till_mismatch', paid({ till_number: '999' })],
    ['without a till', 'till_mismatch', paid({ till_number: null })],
  ])('%s is a contradiction with the cause %s', (_, cause, resource) => {
    expect(assessed(resource).money).toMatchObject({
      kind: 'contradiction',
      cause,
      transaction: { reference: 'ONE' },
    });
  });

  it('keeps an unknown status, which is not final', () => {
    expect(decided(shown({ status: 'Locked' }))).toEqual({
      kind: 'keep',
      anomaly: 'unknown status locked',
    });
  });

  it('keeps the URL, and makes a link pending that had no answer', () => {
    const outcome = assessed(active).outcome;
    for (const state of ['requested', 'unknown'] as const)
      expect(decided(active, { state })).toMatchObject({
        change: { set: { outcome, state: 'pending' } },
      });
    expect(decided(active)).toEqual({ kind: 'change', change: { set: { outcome } } });
    expect(decided(active, { outcome })).toEqual({ kind: 'keep', anomaly: null });
  });

  it('changes nothing before the link was sent, and is an anomaly', () => {
    for (const resource of [active, paid()])
      expect(decided(resource, { state: 'created' })).toEqual({
        kind: 'keep',
        anomaly: 'evidence before sending',
      });
  });

  it('sends a link that was cancelled or has expired to review when somebody paid it', () => {
    expect(decided(paid(), { state: 'failed', reason: 'expired' })).toMatchObject({
      kind: 'review',
      cause: 'paid_after_failure',
    });
  });
});
