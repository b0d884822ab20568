import { describe, expect, it } from '@jest/globals';
import { FAILURE_WORDS } from './order.words.js';

describe('FAILURE_WORDS', () => {
  it.each(Object.entries(FAILURE_WORDS))('has one sentence for %s', (_reason, words) => {
    expect(words).toMatch(/^[A-Z][^.!?]+\.$/);
  });

  it('uses no word that only we understand', () => {
    const all = Object.values(FAILURE_WORDS).join(' ');
    expect(all).not.toMatch(/callback|webhook|timeout|STK|API|idempot|error|_/i);
  });
});
