import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { runs } from '../../../../test/support/thorough.js';
import { aTransaction } from '../../../../test/contracts/store-under-test.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import {
  referenceOnly,
  type Transaction,
  type TransactionChange,
  type TransactionRecord,
} from '../money/transaction.js';
import { quarterOf, type TotalChange } from '../money/total.js';
import { bareTieChange, tieChange } from '../ledger/transaction-changes.js';
import { moneyKey } from '../money/transaction-sameness.js';
import { observedChange } from './observed-changes.js';

const HOUR = 3_600_000;
const CAME = Date.parse('2026-10-20T23:50:00Z');
const OWNER = { kind: 'payment', id: 'owner', tills: ['1'], redacted: false };

/** A report of one sum of money, or a person's word about it. */
interface Step {
  shows: 'received' | 'reversed' | 'named';
  by: 'webhook' | 'sweep' | 'owner' | 'bare';
  /** Hours after the step before. */
  later: number;
  /** True when the report of a reversal repeats the time of the money. */
  repeats: boolean;
  timeless: boolean;
}

const aStep: fc.Arbitrary<Step> = fc.record({
  shows: fc.constantFrom('received', 'reversed', 'named'),
  by: fc.constantFrom('webhook', 'sweep', 'owner', 'bare'),
  later: fc.constantFrom(0, 1, 24),
  repeats: fc.boolean(),
  timeless: fc.boolean(),
});

/** Commits what the steps say about the money, and gives all that was added to the totals. */
function addedBy(steps: readonly Step[]): (TotalChange & { at: Date })[] {
  let record: TransactionRecord | null = null;
  let now = CAME + HOUR;
  const added: (TotalChange & { at: Date })[] = [];
  for (const [index, step] of steps.entries()) {
    now += step.later * HOUR;
    const at = new Date(now);
    const change = changeOf(step, record, at, index);
    if (!change) continue;
    const { totals = [], sums, createdAt = at } = change;
    record = { account: 'a', reference: 'R', version: index + 1, sums, createdAt };
    added.push(...totals.map((entry) => ({ ...entry, at: entry.at ?? at })));
  }
  return added;
}

function changeOf(
  { shows, by, repeats, timeless }: Step,
  record: TransactionRecord | null,
  now: Date,
  index: number,
): TransactionChange | undefined {
  const reversal = shows === 'reversed';
  const at = reversal && !repeats ? now.toISOString() : new Date(CAME).toISOString();
  const transaction: Transaction =
    shows === 'named'
      ? referenceOnly({ currency: 'KES', value: '100' }, '1', 'R')
      : aTransaction({
          reference: 'R',
          tillNumber: '1',
          amount: '100.00',
          status: reversal ? 'Reversed' : 'Received',
          originationTime: timeless ? null : at,
        });
  const key = moneyKey(transaction)!;
  if (shows === 'named') return tieChange(OWNER, transaction, key, record, {});
  if (by === 'owner') return tieChange(OWNER, transaction, key, record, {});
  if (by === 'bare') return bareTieChange('bare', transaction, key, record, {});
  const webhookEventId = by === 'webhook' ? String(index) : null;
  const observed = { account: 'a', via: by, transaction, reversal, webhookEventId, announce: true };
  const change = observedChange(key, record, { owner: null }, observed, {}, new OperationKinds([]));
  return change?.transaction;
}

function countOf(added: readonly TotalChange[], wanted: string): number {
  return added.reduce((sum, { name, count }) => sum + (name === wanted ? count : 0), 0);
}

function minorOf(added: readonly TotalChange[], wanted: string): bigint {
  return added.reduce((sum, { name, minor }) => sum + (name === wanted ? BigInt(minor) : 0n), 0n);
}

describe('What reports of one sum of money add to the totals, in any order', () => {
  const inAnyOrder = (check: (added: (TotalChange & { at: Date })[]) => void): void =>
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 6 }), (steps) => check(addedBy(steps))),
      { numRuns: runs(5_000) },
    );

  it('is the money once, and as much of it came in as went back or more', () => {
    inAnyOrder((added) => {
      const received = countOf(added, 'received');
      expect([0, 1]).toContain(received);
      expect([0, received]).toContain(countOf(added, 'reversed'));
      expect(minorOf(added, 'received')).toBe(received === 1 ? 10_000n : 0n);
      expect(minorOf(added, 'reversed')).toBe(BigInt(countOf(added, 'reversed')) * 10_000n);
    });
  });

  it('is taken from the quarter of an hour to which it was added, and no quarter has more matched or reported than received', () => {
    inAnyOrder((added) => {
      for (const quarter of new Set(added.map(({ at }) => quarterOf(at).getTime()))) {
        const then = added.filter(({ at }) => quarterOf(at).getTime() === quarter);
        const received = countOf(then, 'received');
        for (const name of ['matched', 'reported']) {
          expect(countOf(then, name)).toBeGreaterThanOrEqual(0);
          expect(countOf(then, name)).toBeLessThanOrEqual(received);
        }
        expect(countOf(then, 'reversed')).toBeGreaterThanOrEqual(0);
      }
    });
  });

  it('never leaves less than nothing at the end of a quarter of an hour', () => {
    inAnyOrder((added) => {
      for (const { at: end } of added) {
        const until = added.filter(({ at }) => quarterOf(at) <= quarterOf(end));
        expect(minorOf(until, 'received')).toBeGreaterThanOrEqual(minorOf(until, 'reversed'));
      }
    });
  });
});
