import { describe, expect, it } from '@jest/globals';
import type { Payment, Refund } from '@tillkit/payments';
import type { PaymentState } from '@tillkit/payments/types';
import { decidingPayment, isRefundable, orderId, orderState, type OrderView } from './order.js';

describe('The id of an order', () => {
  const fields = ['ticket', 'coffee', 'Jane', '0700000001'] as const;

  it('is the same for the same form', () => {
    expect(orderId(...fields)).toBe(orderId(...fields));
  });

  it('is different for a form with any changed field', () => {
    const ids = fields.map((field, index) => {
      const changed = [...fields] as [string, string, string, string];
      changed[index] = `${field}x`;
      return orderId(...changed);
    });
    expect(new Set([orderId(...fields), ...ids]).size).toBe(5);
  });

  it('is different for forms whose joined fields are equal', () => {
    expect(orderId('t', 'ab', 'c', 'p')).not.toBe(orderId('t', 'a', 'bc', 'p'));
  });
});

describe('The deciding payment of an order', () => {
  const deciding = (...states: PaymentState[]): PaymentState | undefined =>
    decidingPayment(states.map((state) => ({ state }) as Payment))?.state;

  it('is the payment of the latest attempt', () => {
    expect(deciding('failed', 'failed', 'pending')).toBe('pending');
  });

  it('is the payment that succeeded, whichever attempt it is', () => {
    expect(deciding('succeeded', 'failed')).toBe('succeeded');
    expect(deciding('needs_review', 'succeeded')).toBe('succeeded');
  });

  it('is a payment in review rather than a later payment that failed', () => {
    expect(deciding('needs_review', 'failed')).toBe('needs_review');
  });

  it('is the latest payment that waits for the customer rather than an earlier one in review', () => {
    expect(deciding('needs_review', 'pending')).toBe('pending');
  });

  it('is a payment that was reversed rather than one that failed', () => {
    expect(deciding('reversed', 'failed')).toBe('reversed');
  });
});

describe('an order that was paid by two attempts', () => {
  const view = (...payments: [id: string, state: PaymentState][]): OrderView => {
    const payment = decidingPayment(payments.map(([id, state]) => ({ id, state }) as Payment));
    const refund = { id: 'r-1', paymentId: 'p-1', state: 'succeeded' } as Refund;
    return { order: { refunds: 1 }, payment, link: null, refund } as unknown as OrderView;
  };

  it('is not refunded, and can be, when only one of the two payments went back', () => {
    const order = view(['p-1', 'reversed'], ['p-2', 'succeeded']);
    expect([orderState(order), isRefundable(order)]).toEqual(['succeeded', true]);
  });

  it('is refunded when its only payment went back, also when a later attempt failed', () => {
    const order = view(['p-1', 'reversed'], ['p-2', 'failed']);
    expect([orderState(order), isRefundable(order)]).toEqual(['refunded', false]);
  });
});
