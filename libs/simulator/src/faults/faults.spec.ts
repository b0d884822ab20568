import { describe, expect, it } from '@jest/globals';
import { Faults } from './faults.service.js';
import type { FaultKind } from './faults.constants.js';

describe('The fault injector', () => {
  const draws = (faults: Faults, kind: FaultKind = 'lose') =>
    Array.from({ length: 1_000 }, () => faults.inject(kind, {}) !== null);

  it('injects nothing when no fault is set', () => {
    expect(draws(new Faults(1))).not.toContain(true);
  });

  it('always injects a fault at a rate of 1', () => {
    const faults = new Faults(1);
    faults.rate('lose', 1);
    expect(draws(faults)).not.toContain(false);
  });

  it('injects a fault about as often as its rate says', () => {
    const faults = new Faults(1);
    faults.rate('lose', 0.3);
    const share = draws(faults).filter(Boolean).length / 1_000;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  it('injects the same faults with the same seed, and others with another seed', () => {
    const [first, same, other] = [7, 7, 8].map((seed) => {
      const faults = new Faults(seed);
      faults.rate('lose', 0.5);
      return draws(faults);
    });
    expect(same).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('draws the same for one kind, whatever it draws for other kinds', () => {
    const alone = new Faults(7);
    alone.rate('lose', 0.5);
    const among = new Faults(7);
    among.rate('lose', 0.5);
    among.rate('delay', 0.5);
    const expected = draws(alone);
    draws(among, 'delay');
    expect(draws(among)).toEqual(expected);
  });

  it('injects a one-time fault once', () => {
    const faults = new Faults(1);
    faults.once('lose');
    expect(draws(faults).filter(Boolean)).toHaveLength(1);
  });

  it('injects a one-time fault into the first match only', () => {
    const faults = new Faults(1);
    faults.once('lose', { phone: '+254700000001', delivery: 'callback' });
    expect(faults.inject('lose', { phone: '+254700000002', delivery: 'callback' })).toBeNull();
    expect(faults.inject('lose', { phone: '+254700000001', delivery: 'webhook' })).toBeNull();
    expect(
      faults.inject('lose', { phone: '+254700000001', delivery: 'callback', topic: 'any' }),
    ).not.toBeNull();
  });

  it('injects a rated fault into matches only', () => {
    const faults = new Faults(1);
    faults.rate('lose', 1, { match: { resource: 'polling' } });
    expect(faults.inject('lose', { resource: 'incoming_payments' })).toBeNull();
    expect(faults.inject('lose', { resource: 'polling' })).not.toBeNull();
  });

  it('returns the given options, or the defaults of the fault', () => {
    const faults = new Faults(1);
    faults.rate('duplicate', 1, { times: 5 });
    faults.once('delay');
    expect(faults.inject('duplicate', {})).toEqual({ times: 5 });
    expect(faults.inject('delay', {})).toEqual({ ms: 60_000 });
  });

  it('turns faults off by a rate of 0, by kind, or all at once', () => {
    const faults = new Faults(1);
    for (const kind of ['lose', 'delay', 'reorder', 'replay'] as const) faults.rate(kind, 1);
    faults.rate('lose', 0);
    faults.clear('delay');
    expect(faults.inject('lose', {})).toBeNull();
    expect(faults.inject('delay', {})).toBeNull();
    expect(faults.inject('reorder', {})).not.toBeNull();
    faults.clear();
    expect(faults.inject('replay', {})).toBeNull();
  });

  it('lists the settings and how often each fault was injected', () => {
    const faults = new Faults(1);
    faults.rate('lose', 1);
    faults.once('delay', { phone: '+254700000001' });
    faults.inject('lose', {});
    expect(faults.settings()).toEqual([
      { kind: 'lose', rate: 1, options: {}, match: {}, once: 0, injected: 1 },
      { kind: 'delay', rate: 0, options: { ms: 60_000 }, match: {}, once: 1, injected: 0 },
    ]);
  });

  it.each([-0.1, 1.1, Number.NaN])('refuses a rate of %p', (rate) => {
    expect(() => new Faults(1).rate('lose', rate)).toThrow(RangeError);
  });

  it('refuses an unknown fault', () => {
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
