import { describe, expect, it } from '@jest/globals';
import type { Payment, PaymentState } from '@tillkit/payments';
import { decidingPayment, orderId } from './order.js';

describe('orderId', () => {
  const fields = ['ticket', 'coffee', 'Jane', '0700000001'] as const;

  it('gives the same form the same id', () => {
    expect(orderId(...fields)).toBe(orderId(...fields));
  });

  it('gives a form another id when any field of it has changed', () => {
    const ids = fields.map((field, index) => {
      const changed = [...fields] as [string, string, string, string];
      changed[index] = `${field}x`;
      return orderId(...changed);
    });
    expect(new Set([orderId(...fields), ...ids]).size).toBe(5);
  });

  it('tells apart forms whose fields give the same text when joined', () => {
    expect(orderId('t', 'ab', 'c', 'p')).not.toBe(orderId('t', 'a', 'bc', 'p'));
  });
});

describe('decidingPayment', () => {
  const deciding = (...states: PaymentState[]): PaymentState | undefined =>
    decidingPayment(states.map((state) => ({ state }) as Payment))?.state;

  it('is the payment of the latest attempt', () => {
    expect(deciding('failed', 'failed', 'pending')).toBe('pending');
  });

  it('is the payment whose money came, whichever attempt it is of', () => {
    expect(deciding('succeeded', 'failed')).toBe('succeeded');
    expect(deciding('needs_review', 'succeeded')).toBe('succeeded');
  });

  it('is a payment in review rather than a later one that failed', () => {
    expect(deciding('needs_review', 'failed')).toBe('needs_review');
  });
});
