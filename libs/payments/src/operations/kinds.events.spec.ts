import { describe, expect, it } from '@jest/globals';
import type { Operation, OperationState } from '../store/operation.js';
import type { OperationChange } from '../ledger/operation-changes.js';
import type { OperationKind } from '../ledger/operation.kind.js';
import type { Resources } from '../platform/resources.js';
import type { NamedTransaction } from '../money/transaction.js';
import { aPaymentRecord, aTransaction } from '../testing/ledger.fixture.js';
import { aPaymentLinkRecord, aRefundRecord } from '../testing/operations.fixture.js';
import { aPayoutRecord } from '../testing/payouts.fixture.js';
import { PaymentLinkKind } from './payment-links/payment-link.kind.js';
import { PaymentKind } from './payments/payment.kind.js';
import { PayoutKind } from './payouts/payout.kind.js';
import { RefundKind } from './refunds/refund.kind.js';

const NO_RESOURCES = {} as Resources;
const OPEN = ['created', 'requested', 'pending', 'unknown'] as const;

/** The names of each kind: of its operation in an event, of the event of a review, and of the event of each state that has one. */
const KINDS: readonly {
  kind: OperationKind;
  pending: Operation;
  noun: string;
  subject: string;
  review: string;
  states: Partial<Record<OperationState, string>>;
}[] = [
  {
    kind: new PaymentKind(NO_RESOURCES) as unknown as OperationKind,
    pending: aPaymentRecord(),
    noun: 'payment',
    subject: 'payment',
    review: 'payment.needs_review',
    states: {
      succeeded: 'payment.succeeded',
      failed: 'payment.failed',
      reversed: 'payment.reversed',
    },
  },
  {
    kind: new PayoutKind(NO_RESOURCES) as unknown as OperationKind,
    pending: aPayoutRecord(),
    noun: 'payout',
    subject: 'payout',
    review: 'payout.needs_review',
    states: {
      succeeded: 'payout.succeeded',
      partially_succeeded: 'payout.partially-succeeded',
      failed: 'payout.failed',
    },
  },
  {
    kind: new RefundKind(NO_RESOURCES) as unknown as OperationKind,
    pending: aRefundRecord(),
    noun: 'refund',
    subject: 'refund',
    review: 'refund.needs_review',
    states: { succeeded: 'refund.succeeded', failed: 'refund.failed' },
  },
  {
    kind: new PaymentLinkKind(NO_RESOURCES) as unknown as OperationKind,
    pending: aPaymentLinkRecord(),
    noun: 'payment link',
    subject: 'paymentLink',
    review: 'payment-link.needs_review',
    states: {
      succeeded: 'payment-link.paid',
      failed: 'payment-link.failed',
      reversed: 'payment-link.reversed',
    },
  },
];

const TRANSACTION = aTransaction() as NamedTransaction;

describe.each(KINDS)('the event of a $noun', ({ kind, pending, subject, review, states }) => {
  const entering = (state: OperationState, changes: Partial<Operation> = {}) => {
    const before = { ...pending, state: state === 'pending' ? 'requested' : 'pending' };
    const set = { state, transaction: TRANSACTION, ...changes };
    const change: OperationChange = { via: 'sweep', set, reversal: TRANSACTION };
    return kind.events(before as Operation, { ...pending, ...set } as Operation, change);
  };

  it.each(Object.entries(states))('that enters the state %s is %s', (state, name) => {
    const [event, ...others] = entering(state as OperationState);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ name, stream: pending.id });
    expect(event?.payload).toMatchObject({
      eventId: event?.id,
      account: 'default',
      via: 'sweep',
      [subject]: { id: pending.id, state },
    });
  });

  it.each(OPEN)('that enters the state %s is missing', (state) => {
    expect(entering(state)).toEqual([]);
  });

  it('has a reason and the errors of the platform when it failed', () => {
    const [known] = entering('failed', { reason: 'insufficient_funds', errors: ['no money'] });
    expect(known?.payload).toMatchObject({ reason: 'insufficient_funds', errors: ['no money'] });
    const [unknown] = entering('failed', { reason: null, errors: [] });
    expect(unknown?.payload).toMatchObject({ reason: 'unknown', errors: [] });
  });

  it('asks a person to decide, once for each cause', () => {
    const set = { state: 'needs_review' } as const;
    const reviewOf = (cause: 'amount_mismatch' | 'success_with_errors') => {
      const found = { cause, detail: 'odd', reference: null } as const;
      return kind.events(pending, { ...pending, ...set }, { via: 'callback', set, review: found });
    };
    const [event] = reviewOf('amount_mismatch');
    expect(event?.name).toBe(review);
    expect(event?.payload).toMatchObject({
      cause: 'amount_mismatch',
      via: 'callback',
      [subject]: { id: pending.id, state: 'needs_review' },
    });
    expect(reviewOf('amount_mismatch')[0]?.id).toBe(event?.id);
    expect(reviewOf('success_with_errors')[0]?.id).not.toBe(event?.id);
  });

  it('is missing when the state stays as it was', () => {
    const change: OperationChange = { via: 'status', set: { errors: ['late'] } };
    const before = { ...pending, state: 'failed' } as Operation;
    expect(kind.events(before, { ...before, errors: ['late'] }, change)).toEqual([]);
  });
});

describe('the end of a payment link that nobody paid', () => {
  it.each([
    ['cancelled', 'payment-link.cancelled'],
    ['expired', 'payment-link.expired'],
  ] as const)('with the reason %s is the event %s', (reason, name) => {
    const link = aPaymentLinkRecord();
    const set = { state: 'failed', reason } as const;
    const events = new PaymentLinkKind(NO_RESOURCES).events(
      link as never,
      { ...link, ...set } as never,
      { via: 'status', set },
    );
    expect(events.map((event) => event.name)).toEqual([name]);
  });
});

describe('the money of an event', () => {
  it.each([
    ['payment', new PaymentKind(NO_RESOURCES), aPaymentRecord()],
    ['payment link', new PaymentLinkKind(NO_RESOURCES), aPaymentLinkRecord()],
  ] as const)(
    'of a %s is its transaction, and after a reversal it is the transaction of the reversal',
    (_, kind, pending) => {
      const back = aTransaction({ id: 'back', status: 'Reversed' }) as NamedTransaction;
      const set = { state: 'succeeded', transaction: TRANSACTION } as const;
      const paid = { ...pending, ...set } as never;
      const [success] = kind.events(pending as never, paid, { via: 'status', set });
      expect(success?.payload).toMatchObject({ transaction: { id: TRANSACTION.id } });
      const [reversal] = kind.events(paid, { ...(paid as object), state: 'reversed' } as never, {
        via: 'webhook',
        set: { state: 'reversed' },
        reversal: back,
      });
      expect(reversal?.payload).toMatchObject({ transaction: { id: 'back' } });
    },
  );
});
