import { describe, expect, it } from '@jest/globals';
import type { Payment, PaymentState } from '@tillkit/payments';
import { isUnderWay, stageOf } from './order.stage.js';

const payments = (...states: PaymentState[]): Payment[] =>
  states.map((state) => ({ state }) as Payment);

describe('stageOf', () => {
  it.each([
    ['created', 'asking'],
    ['requested', 'asking'],
    ['pending', 'waiting'],
    ['unknown', 'unclear'],
    ['needs_review', 'checking'],
    ['failed', 'failed'],
    ['succeeded', 'paid'],
    ['reversed', 'refunded'],
  ] as const)('calls a %s payment %s', (state, stage) => {
    expect(stageOf(payments(state)).stage).toBe(stage);
  });

  it('goes by the latest attempt', () => {
    expect(stageOf(payments('failed', 'failed', 'pending')).stage).toBe('waiting');
  });

  it('goes by money that came, whichever attempt it is of', () => {
    expect(stageOf(payments('succeeded', 'failed')).stage).toBe('paid');
    expect(stageOf(payments('needs_review', 'succeeded')).stage).toBe('paid');
    expect(stageOf(payments('needs_review', 'failed')).stage).toBe('checking');
  });

  it('lets the customer try again only after every attempt has failed', () => {
    expect(stageOf([]).nextAttempt).toBe(1);
    expect(stageOf(payments('failed')).nextAttempt).toBe(2);
    expect(stageOf(payments('failed', 'failed')).nextAttempt).toBe(3);
    for (const state of [
      'created',
      'requested',
      'pending',
      'unknown',
      'needs_review',
      'succeeded',
      'reversed',
    ] as const) {
      expect(stageOf(payments('failed', state)).nextAttempt).toBeNull();
    }
    expect(stageOf(payments('needs_review', 'failed')).nextAttempt).toBeNull();
    expect(stageOf(payments('succeeded', 'failed')).nextAttempt).toBeNull();
  });
});

describe('isUnderWay', () => {
  it('is true until the customer knows', () => {
    const stages = ['asking', 'waiting', 'unclear', 'checking'] as const;
    expect(stages.every(isUnderWay)).toBe(true);
    const ends = ['not_asked', 'failed', 'paid', 'refunded'] as const;
    expect(ends.some(isUnderWay)).toBe(false);
  });
});
