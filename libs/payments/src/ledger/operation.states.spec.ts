import { describe, expect, it } from '@jest/globals';
import { mayChange, TRANSITIONS } from './operation.states.js';

describe('the table of states of an operation', () => {
  it('lets a final state change only by a reversal or by money after a failure', () => {
    expect(TRANSITIONS.succeeded).toEqual(['reversed']);
    expect(TRANSITIONS.failed).toEqual(['needs_review']);
    expect(TRANSITIONS.reversed).toEqual([]);
    expect(mayChange('succeeded', 'failed')).toBe(false);
    expect(mayChange('unknown', 'requested')).toBe(false);
  });
});
