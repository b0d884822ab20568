import { describe, expect, it } from '@jest/globals';
import type { Assessment } from '../ledger/assessment.js';
import type { ShownResource } from '../ledger/operation.kind.js';
import { readEnvelope } from '../platform/wire-value.js';
import type { Resources } from '../platform/resources.js';
import { readResource } from '../platform/resource-table.js';
import { REVERSAL, type Reversal } from '../platform/resources/reversals.service.js';
import type { PaidTransaction } from '../money/transaction.js';
import {
  aPaymentRecord,
  aSuccess,
  aTransaction,
  SETTINGS,
  shownPayment,
} from '../testing/ledger.fixture.js';
import { aRefundRecord } from '../testing/operations.fixture.js';
import type { PaymentLinkRecord } from './payment-links/payment-link.js';
import { PaymentLinkKind } from './payment-links/payment-link.kind.js';
import { PaymentKind } from './payments/payment.kind.js';
import type { RefundRecord } from './refunds/refund.js';
import { RefundKind } from './refunds/refund.kind.js';

const NO_RESOURCES = {} as Resources;
const HOUR = 3_600_000;

const SUCCEEDED: Assessment = {
  kind: 'succeeded',
  transaction: aTransaction() as PaidTransaction,
  notes: ['another phone paid'],
};
const FAILED: Assessment = { kind: 'failed', reason: null, errors: [] };
const open = (unknownStatus: string | null): Assessment => ({ kind: 'open', unknownStatus });

describe('Evidence about a payment', () => {
  const kind = new PaymentKind(NO_RESOURCES);

  it('denies earlier money only when the platform says that the payment failed', () => {
    expect(kind.denies(FAILED)).toBe(true);
    for (const other of [SUCCEEDED, open(null), { kind: 'no_transaction' } as const])
      expect(kind.denies(other)).toBe(false);
  });

  it('has the notes of its success for the history, and no others', () => {
    expect(kind.notesOf(SUCCEEDED)).toEqual(['another phone paid']);
    expect(kind.notesOf(FAILED)).toEqual([]);
  });

  it('proves a reversal when the money that it shows went back', () => {
    const back = aTransaction({ status: 'Reversed' });
    const reversalIn = (transaction: ReturnType<typeof aTransaction> | null) =>
      kind.reversalIn(aPaymentRecord(), {
        ...shownPayment(aSuccess('x')),
        transaction,
      });
    expect(reversalIn(back)).toBe(back);
    expect(reversalIn(aTransaction())).toBeNull();
    expect(reversalIn(null)).toBeNull();
  });
});

describe('Evidence about a refund', () => {
  const kind = new RefundKind(NO_RESOURCES);
  const refund = aRefundRecord();
  const shows = (status: string): ShownResource<Reversal> => {
    const payment = { status, amount: '100.0', transaction_reference: 'BACK' };
    const attributes = {
      status: 'Processed',
      transaction_reference: 'ONE',
      reversal_bulk_payment: payment,
    };
    const envelope = readEnvelope({ data: { id: 'x', type: 'reversal', attributes } });
    return kind.show(envelope!);
  };

  it('proves that its transaction went back when the refund is paid', () => {
    expect(kind.reversalIn(refund, shows('Transferred'))).toMatchObject({
      reference: 'ONE',
      amount: '100.00',
      currency: 'KES',
      tillNumber: '514459',
      status: 'Reversed',
    });
  });

  it.each(['Failed', 'Pending'])('proves nothing while it is %s', (status) => {
    expect(kind.reversalIn(refund, shows(status))).toBeNull();
  });

  it('proves nothing before it was sent, or when the platform has said that it failed', () => {
    expect(kind.reversalIn({ ...refund, state: 'created' }, shows('Transferred'))).toBeNull();
    const denied = { ...refund, outcome: { state: 'failed' } } as RefundRecord;
    expect(kind.reversalIn(denied, shows('Transferred'))).toBeNull();
  });

  it('is read from the callback', () => {
    const attributes = { status: 'Processed', transaction_reference: 'ONE' };
    const envelope = readEnvelope({ data: { id: 'x', type: 'reversal', attributes } })!;
    expect(kind.show(envelope)).toMatchObject({
      platformId: 'x',
      transaction: null,
      content: readResource(REVERSAL, envelope),
    });
  });
});

describe('A payment link', () => {
  const kind = new PaymentLinkKind(NO_RESOURCES);
  const link = { createdAt: new Date(10 * HOUR), outcome: null } as PaymentLinkRecord;
  const { reviewAfterMs } = SETTINGS.reconciliation;

  it('that failed, or is open with a status that we know, denies earlier money', () => {
    const denies = (money: Assessment): boolean => kind.denies({ money, outcome: null });
    expect(denies(FAILED)).toBe(true);
    expect(denies(open(null))).toBe(true);
    expect(denies(open('something new'))).toBe(false);
    expect(denies(SUCCEEDED)).toBe(false);
  });

  it('waits for a person after its end, or a week after its creation when the platform shows no end', () => {
    const untilEnd = (expiresAt: number | null): number => {
      const outcome = { expiresAt } as PaymentLinkRecord['outcome'];
      return kind.reviewTime({ ...link, outcome }, SETTINGS).afterMs;
    };
    expect(untilEnd(12 * HOUR)).toBe(2 * HOUR + reviewAfterMs);
    expect(untilEnd(9 * HOUR)).toBe(reviewAfterMs);
    expect(untilEnd(null)).toBe(7 * 24 * HOUR + reviewAfterMs);
    expect(kind.reviewTime(link, SETTINGS).afterMs).toBe(7 * 24 * HOUR + reviewAfterMs);
  });
});

it('An operation that waits for too long says for how long', () => {
  const { afterMs, detail } = new PaymentKind(NO_RESOURCES).reviewTime(aPaymentRecord(), {
    ...SETTINGS,
    reconciliation: { ...SETTINGS.reconciliation, reviewAfterMs: 1.5 * HOUR },
  });
  expect(afterMs).toBe(1.5 * HOUR);
  expect(detail).toBe('the platform gave no outcome in 1.5 h');
});
