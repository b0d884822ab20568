import { describe, expect, it } from '@jest/globals';
import { keptUnread, unreadItem } from './unread-money.js';
import type { UnreadMoney } from '../store/sweeps.store.js';

const money = (changes: Partial<UnreadMoney>): UnreadMoney => ({
  ...unreadItem({ from: new Date(0), to: new Date(100) }, 'item'),
  till: '1',
  currency: 'KES',
  amountMinor: '100',
  ...changes,
});
const kept = (known: readonly UnreadMoney[], ...unread: UnreadMoney[]): readonly UnreadMoney[] =>
  keptUnread(known, { unread, names: [] }, 0);

describe('What sweeps could not read', () => {
  it('is kept once, in the time that all windows have in common which listed it', () => {
    const wide = money({ reference: 'R' });
    expect(kept([wide], money({ reference: 'R', from: 40, to: 140 }))).toEqual([
      money({ reference: 'R', from: 40 }),
    ]);
    expect(kept([money({})], money({ from: 40, to: 140 }))).toHaveLength(1);
    expect(kept([money({})], money({ item: 'another' }))).toHaveLength(2);
  });

  it('is replaced by what a later list says under its reference', () => {
    const known = [money({ reference: 'R' }), money({ reference: 'S' })];
    expect(keptUnread(known, { unread: [], names: ['R'] }, 0)).toEqual([known[1]]);
  });

  it('is forgotten when it is too old', () => {
    expect(keptUnread([money({ to: 9 })], { unread: [], names: [] }, 10)).toEqual([]);
  });

  it('is kept by till and amount when there is much of it, so that it fits nothing else', () => {
    const many = Array.from({ length: 500 }, (_, n) =>
      money({ reference: `R${n}`, amountMinor: String(n % 3), from: n, to: n + 1 }),
    );
    const few = kept([], ...many);
    expect(few.map(({ amountMinor, from, to }) => ({ amountMinor, from, to }))).toEqual(
      [
        { amountMinor: '0', from: 0, to: 499 },
        { amountMinor: '1', from: 1, to: 500 },
        { amountMinor: '2', from: 2, to: 500 },
      ].map(({ amountMinor, from }) => ({
        amountMinor,
        from,
        to: Math.max(
          ...many.filter((each) => each.amountMinor === amountMinor).map(({ to }) => to),
        ),
      })),
    );
  });

  it('is kept as one entry that fits any money of its time when there are too many tills and amounts', () => {
    const many = Array.from({ length: 500 }, (_, n) =>
      money({ reference: `R${n}`, amountMinor: String(n) }),
    );
    expect(kept([], ...many)).toEqual([
      { ...unreadItem({ from: new Date(0), to: new Date(100) }, null) },
    ]);
  });
});
