import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepWarnings } from '../../../../test/support/warnings.js';
import { MemoryStore } from '../memory/memory.store.js';
import { BareRequests } from '../platform/bare-requests.js';
import {
  aLedger,
  backgroundOf,
  type LedgerUnderTest,
  resourcesWith,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { deliveryEvent } from './deliveries.service.js';
import { UnansweredPollings } from './unanswered-pollings.js';

const MINUTE = 60_000;

describe('A polling of the host', () => {
  const lines: string[] = [];
  let runtime: SkippingRuntime;
  let under: LedgerUnderTest;
  let bareRequests: BareRequests;
  let reads: number;

  beforeEach(() => {
    lines.length = 0;
    keepWarnings(lines);
    reads = 0;
    runtime = new SkippingRuntime();
    const store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime);
    bareRequests = new BareRequests(store.bareRequests);
    const client = {
      settings: { current: { apiVersions: { polling: 'v2' } } },
      read: async () => {
        reads += 1;
        throw new Error('the platform is away');
      },
    };
    const { events } = store;
    const background = backgroundOf(under, runtime);
    const resources = resourcesWith({ client });
    new UnansweredPollings(
      bareRequests,
      under.commits,
      events,
      background,
      resources,
      under.shutdown,
    ).onModuleInit();
  });
  afterEach(() => {
    under.shutdown.close();
    Logger.overrideLogger(false);
  });

  const made = async (id: string): Promise<void> => {
    const end = runtime.now() + 20 * MINUTE;
    bareRequests.pollings$.next({ account: 'default', id });
    while (runtime.now() < end && lines.length === 0) await runtime.pause(MINUTE);
  };

  it('is not read when its callback has come', async () => {
    const subject = { account: 'default', stream: 'p1', via: 'callback' } as const;
    const event = deliveryEvent('polling.completed', subject, { polling: {} as never });
    await under.commits.commit({ account: 'default', events: [event], history: [] });
    await made('p1');
    expect([reads, lines]).toEqual([0, []]);
  });

  it('is read several times, and then named in the log with the reason and what to do', async () => {
    await made('p2');
    expect(reads).toBe(3);
    expect(lines).toEqual([
      expect.stringMatching(
        /polling p2 came.*\(the platform is away\).*PollingService\.get\(id\) /,
      ),
    ]);
  });
});
