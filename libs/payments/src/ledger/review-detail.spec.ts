import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PayoutRecord } from '../operations/payouts/payout.js';
import { PayoutsService } from '../operations/payouts/payouts.service.js';
import { MemoryStore } from '../store/memory/memory.store.js';
import { aLedger, resourcesWith, type LedgerUnderTest } from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';
import { READY, partsOf } from '../testing/operation-parts.fixture.js';
import { aDisbursement, aSendMoney, aWallet } from '../testing/payouts.fixture.js';

Logger.overrideLogger(false);

describe('The cause of a review', () => {
  let under: LedgerUnderTest;
  let store: MemoryStore;
  let payouts: PayoutsService;
  beforeEach(() => {
    const runtime = new MovedRuntime();
    store = new MemoryStore(() => runtime.now());
    const post = async () => ({ kind: 'created', id: 'platform-1' });
    const resources = resourcesWith({ ...READY, sendMoney: { post } });
    under = aLedger(store, {}, runtime, resources);
    payouts = new PayoutsService(...partsOf<PayoutRecord>(under, runtime, resources), {
      current: under.settings,
    });
  });
  afterEach(() => under.shutdown.close());

  it('is limited in length, however long the error text of the platform is', async () => {
    const { id } = await payouts.request({
      idempotencyKey: 'one',
      currency: 'KES',
      destinations: [aWallet()],
    });
    const record = await store.operations.find('default', id);
    const shown = aSendMoney([aDisbursement('Transferred', { errors: 'x'.repeat(900_000) })]);
    await under.evidence.apply(
      record as never,
      { platformId: 'platform-1', callbackUrl: null, transaction: null, content: shown },
      'callback',
    );
    const payout = await payouts.find(id);
    expect(payout).toMatchObject({ state: 'needs_review' });
    expect(payout?.causeDetail?.length).toBeLessThanOrEqual(2_000);
  });
});
