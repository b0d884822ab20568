import { describe, expect, it } from '@jest/globals';
import type { Payment, PaymentState } from '@tillkit/payments';
import { decidingPayment, orderId } from './order.js';

describe('orderId', () => {
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

describe('decidingPayment', () => {
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
});
