import { describe, expect, it } from '@jest/globals';
import type { OperationChange } from '../../ledger/operation-changes.js';
import type { Resources } from '../../platform/resources.js';
import { aPayoutRecord } from '../../testing/payouts.fixture.js';
import { PayoutKind } from './payout.kind.js';
import type { PayoutRecord } from './payout.js';

const KIND = new PayoutKind({} as Resources);
const DOUBT = { cause: 'success_with_errors', detail: 'odd', reference: null } as const;

/** Returns the id of the event of a review. */
function idOf(before: PayoutRecord): string | undefined {
  const set = { state: 'needs_review', cause: DOUBT.cause, causeDetail: DOUBT.detail } as const;
  const change: OperationChange = { via: 'callback', set, review: DOUBT };
  return KIND.events(before, { ...before, ...set }, change)[0]?.id;
}

describe('the review of a payout', () => {
  it('has one event for each contradiction, also when it is seen again', () => {
    const payout = aPayoutRecord();
    expect(idOf(payout)).toBe(idOf({ ...payout, version: payout.version + 1 }));
  });

  it('has another event when the contradiction opens again what a person has decided', () => {
    const payout = aPayoutRecord();
    const decided = { ...payout, state: 'failed', decided: true, version: 7 } as const;
    expect(idOf(decided)).not.toBe(idOf(payout));
  });
});
