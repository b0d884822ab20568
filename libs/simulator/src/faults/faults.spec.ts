import { describe, expect, it } from '@jest/globals';
import { Faults } from './faults.service.js';
import type { FaultKind } from './faults.constants.js';

describe('the drawing of faults', () => {
  const draws = (faults: Faults, kind: FaultKind = 'lose') =>
    Array.from({ length: 1_000 }, () => faults.strike(kind, {}) !== null);

  it('never strikes when nothing is set', () => {
    expect(draws(new Faults(1))).not.toContain(true);
  });

  it('always strikes at a rate of 1', () => {
    const faults = new Faults(1);
    faults.rate('lose', 1);
    expect(draws(faults)).not.toContain(false);
  });

  it('strikes about as often as the rate says', () => {
    const faults = new Faults(1);
    faults.rate('lose', 0.3);
    const share = draws(faults).filter(Boolean).length / 1_000;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  it('strikes alike with the same seed, and differently with another', () => {
    const [first, same, other] = [7, 7, 8].map((seed) => {
      const faults = new Faults(seed);
      faults.rate('lose', 0.5);
      return draws(faults);
    });
    expect(same).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('draws for one kind alike, whatever the others draw', () => {
    const alone = new Faults(7);
    alone.rate('lose', 0.5);
    const among = new Faults(7);
    among.rate('lose', 0.5);
    among.rate('delay', 0.5);
    const expected = draws(alone);
    draws(among, 'delay');
    expect(draws(among)).toEqual(expected);
  });

  it('strikes once when asked once', () => {
    const faults = new Faults(1);
    faults.once('lose');
    expect(draws(faults).filter(Boolean)).toHaveLength(1);
  });

  it('waits for what matches', () => {
    const faults = new Faults(1);
    faults.once('lose', { phone: '+254700000001', delivery: 'callback' });
    expect(faults.strike('lose', { phone: '+254700000002', delivery: 'callback' })).toBeNull();
    expect(faults.strike('lose', { phone: '+254700000001', delivery: 'webhook' })).toBeNull();
    expect(
      faults.strike('lose', { phone: '+254700000001', delivery: 'callback', topic: 'any' }),
    ).not.toBeNull();
  });

  it('draws by rate only from what matches', () => {
    const faults = new Faults(1);
    faults.rate('lose', 1, { match: { resource: 'polling' } });
    expect(faults.strike('lose', { resource: 'incoming_payments' })).toBeNull();
    expect(faults.strike('lose', { resource: 'polling' })).not.toBeNull();
  });

  it('gives its strength, or that of the table', () => {
    const faults = new Faults(1);
    faults.rate('duplicate', 1, { times: 5 });
    faults.once('delay');
    expect(faults.strike('duplicate', {})).toEqual({ times: 5 });
    expect(faults.strike('delay', {})).toEqual({ ms: 60_000 });
  });

  it('is turned off by a rate of 0, by kind, or altogether', () => {
    const faults = new Faults(1);
    for (const kind of ['lose', 'delay', 'reorder', 'replay'] as const) faults.rate(kind, 1);
    faults.rate('lose', 0);
    faults.clear('delay');
    expect(faults.strike('lose', {})).toBeNull();
    expect(faults.strike('delay', {})).toBeNull();
    expect(faults.strike('reorder', {})).not.toBeNull();
    faults.clear();
    expect(faults.strike('replay', {})).toBeNull();
  });

  it('tells what is set and how often it struck', () => {
    const faults = new Faults(1);
    faults.rate('lose', 1);
    faults.once('delay', { phone: '+254700000001' });
    faults.strike('lose', {});
    expect(faults.settings()).toEqual([
      { kind: 'lose', rate: 1, options: {}, match: {}, once: 0, struck: 1 },
      { kind: 'delay', rate: 0, options: { ms: 60_000 }, match: {}, once: 1, struck: 0 },
    ]);
  });

  it.each([-0.1, 1.1, Number.NaN])('refuses a rate of %p', (rate) => {
    expect(() => new Faults(1).rate('lose', rate)).toThrow(RangeError);
  });

  it('refuses a fault that does not exist', () => {
    const faults = new Faults(1);
    const none = 'none' as FaultKind;
    for (const attempt of [
      () => faults.rate(none, 1),
      () => faults.once(none),
      () => faults.clear(none),
    ]) {
      expect(attempt).toThrow(/no fault "none"/);
    }
  });
});
