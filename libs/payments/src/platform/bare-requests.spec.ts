import { describe, expect, it } from '@jest/globals';
import { PlatformClock } from './platform-clock.js';
import { PlatformRejectedError, UnknownOutcomeError } from '../platform.errors.js';
import { StoreUnavailableError } from '../payments.errors.js';
import type { CallbackUrls } from './callback-urls.js';
import { IncomingPaymentsService } from './resources/incoming-payments.service.js';
import type { PlatformClient } from './platform-client.js';
import { Runtime } from '../runtime/clock.js';
import { MemoryStore } from '../memory/memory.store.js';
import { SETTINGS } from '../testing/ledger.fixture.js';
import { phoneHash } from '../money/phone-number.js';
import type { BareRequestsStore } from '../store/bare-requests.store.js';
import { BareRequests } from './bare-requests.js';

const PHONE = '+254700000001';

describe('a bare request', () => {
  let creates = 0;
  /** Returns the number of possible owners of its transaction after this outcome of the create. */
  const candidatesAfter = async (
    error: Error,
    keep?: BareRequestsStore['keep'],
  ): Promise<number> => {
    creates = 0;
    const store = new MemoryStore();
    if (keep) store.bareRequests.keep = keep;
    const settings = { ...SETTINGS, tillNumber: '514459' };
    const client = {
      settings: { current: settings },
      learnClock: async () => new PlatformClock(),
      upToDate: async () => undefined,
      create: () => {
        creates += 1;
        return Promise.reject(error);
      },
    } as unknown as PlatformClient;
    const service = new IncomingPaymentsService(
      client,
      { callback: () => 'https://shop.test/callback' } as unknown as CallbackUrls,
      new BareRequests(store.bareRequests),
      { current: settings },
      new Runtime(),
    );
    const asked = service.create({
      subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: PHONE },
      amount: { currency: 'KES', value: '100.00' },
    });
    await expect(asked).rejects.toMatchObject({ message: error.message });
    const found = await store.bareRequests.findCandidates('default', {
      currency: 'KES',
      amountMinor: '10000',
      payerHash: phoneHash(PHONE),
      sentFrom: new Date(0),
      sentTo: new Date(Date.now() + 60_000),
      anybodySentFrom: new Date(0),
    });
    return found.length;
  };

  it('is a possible owner of a transaction while its outcome is unknown', async () => {
    expect(await candidatesAfter(new UnknownOutcomeError('create', new Error('reset')))).toBe(1);
  });

  it('is not sent when it cannot be stored, because nobody would know whose its money is', async () => {
    await expect(
      candidatesAfter(new StoreUnavailableError('away'), async () => {
        throw new StoreUnavailableError('away');
      }),
    ).resolves.toBe(0);
    expect(creates).toBe(0);
  });

  it('is no possible owner of a transaction after the platform has refused it', async () => {
    const refused = { operation: 'create', status: 422, platformMessages: [] };
    expect(await candidatesAfter(new PlatformRejectedError(refused))).toBe(0);
  });
});
