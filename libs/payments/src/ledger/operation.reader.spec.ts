import { describe, expect, it } from '@jest/globals';
import { Runtime } from '../runtime/clock.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  aPendingPayment,
  aSuccess,
  resourcesWith,
  backgroundOf,
} from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';
import { OperationReader } from './operation-evidence.service.js';

describe('a read of a payment', () => {
  it('sends no request when the payment has settled before its turn', async () => {
    const runtime = new Runtime();
    const asked: string[] = [];
    const resources = resourcesWith({
      incomingPayments: {
        get: async (id: string) => {
          asked.push(id);
          return anIncomingPayment(id, 'Pending', null);
        },
      },
    });
    const under = aLedger(new MemoryStore(), {}, runtime, resources);
    const { ledger, evidence, kinds, shutdown, clocks } = under;
    const background = backgroundOf(under, runtime);
    const reader = new OperationReader(kinds, ledger, evidence, background, clocks);

    const pending = await aPendingPayment(under, 'platform-1');
    await applied(under, pending, aSuccess('platform-1'), 'callback');

    const read = await reader.read({ ...pending, platformId: 'platform-1' }, 'overdue');
    expect(read).toMatchObject({ state: 'succeeded' });
    expect(asked).toEqual([]);
    shutdown.close();
  });

  it('is dated by the clock of the platform, also where its own answer is the first that tells it', async () => {
    // The clock of this machine is a day ahead.
    const runtime = new MovedRuntime();
    const said = Date.parse('2026-01-31T08:00:00Z');
    runtime.advance(said + 24 * 3_600_000 - runtime.now());
    const resources = resourcesWith({
      incomingPayments: {
        get: (id: string) => {
          runtime.advance(1_000);
          const now = runtime.now();
          under.clocks.clock('default').observe(new Date(said).toUTCString(), now, now);
          return Promise.resolve(anIncomingPayment(id, 'Failed', null, ['cancelled']));
        },
      },
    });
    const under = aLedger(new MemoryStore(), {}, runtime, resources);
    const { ledger, evidence, kinds, shutdown, clocks } = under;
    const background = backgroundOf(under, runtime);
    const reader = new OperationReader(kinds, ledger, evidence, background, clocks);
    const pending = await aPendingPayment(under, 'platform-1');
    const read = await reader.read({ ...pending, platformId: 'platform-1' }, 'overdue');
    expect(Math.abs(Number(read.deniedAt) - said)).toBeLessThan(2_000);
    shutdown.close();
  });
});
