import { describe, expect, it } from '@jest/globals';
import { FAILURE_TEXTS } from './order-texts.js';

describe('The texts of the shop about failures', () => {
  it.each(Object.entries(FAILURE_TEXTS))('have one sentence for the reason %s', (_reason, text) => {
    expect(text).toMatch(/^[A-Z][^.!?]+\.$/);
  });

  it('use no technical term', () => {
    const all = Object.values(FAILURE_TEXTS).join(' ');
    expect(all).not.toMatch(/callback|webhook|timeout|STK|API|idempot|error|_/i);
  });
});
