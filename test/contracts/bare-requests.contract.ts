import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { phoneHash, type BareRequest, type CandidateQuery } from '@tillkit/payments/internal/store';
import { newAccount, PAYER, times, type StoreUnderTest } from './store-under-test.js';

const DAY = 86_400_000;

function aRequest(input: Partial<BareRequest> = {}): BareRequest {
  return {
    id: randomUUID(),
    resource: 'incoming-payments',
    platformId: 'platform-1',
    sentAt: new Date('2026-01-20T12:00:00.000Z'),
    money: {
      currency: 'KES',
      amountMinor: '10000',
      payerHash: phoneHash(PAYER),
    },
    ...input,
  };
}

export function describeBareRequests(current: () => StoreUnderTest): void {
  const keep = async (account: string, input: Partial<BareRequest> = {}): Promise<BareRequest> => {
    const request = aRequest(input);
    await current().store.bareRequests.keep(account, request);
    return request;
  };
  const candidates = (
    account: string,
    query: Partial<CandidateQuery> = {},
  ): Promise<BareRequest[]> =>
    current().store.bareRequests.findCandidates(account, {
      currency: 'KES',
      amountMinor: '10000',
      payerHash: phoneHash(PAYER),
      sentFrom: new Date(0),
      anybodySentFrom: new Date(0),
      sentTo: new Date(Date.now() + 100 * 365 * DAY),
      ...query,
    });

  describe('a bare request', () => {
    it('is found by its resource and platform id, only in its account', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await keep(account);
      const polling = await keep(account, {
        id: payment.id,
        resource: 'polling',
        money: null,
        platformId: null,
      });
      const find = (resource: BareRequest['resource'], id = payment.id, of = account) =>
        store.bareRequests.find(of, resource, id);
      expect(await find('incoming-payments')).toEqual(payment);
      expect(await find('polling')).toEqual(polling);
      expect(await find('sms-notifications')).toBeNull();
      expect(await find('polling', 'none')).toBeNull();
      expect(await find('polling', payment.id, newAccount())).toBeNull();
    });

    it('keeps its platform id and its result when it is saved again without them', async () => {
      const account = newAccount();
      const asked = await keep(account, { platformId: null });
      await keep(account, { ...asked, platformId: 'platform-1', money: null });
      // The answer to the create comes after the callback. The process that saves it does not know the callback.
      await keep(account, asked);
      expect(await current().store.bareRequests.find(account, asked.resource, asked.id)).toEqual({
        ...asked,
        platformId: 'platform-1',
        money: null,
      });
      expect(await candidates(account)).toEqual([]);
    });

    it('is kept for 31 days', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const { id, resource } = await keep(account);
      await advance(31 * DAY - 60_000);
      expect(await store.bareRequests.find(account, resource, id)).toMatchObject({ id });
      expect(await candidates(account)).toMatchObject([{ id }]);
      await advance(60_000);
      expect(await store.bareRequests.find(account, resource, id)).toBeNull();
      expect(await candidates(account)).toEqual([]);
      expect(await candidates(account, { payerHash: null })).toEqual([]);
      await store.retention.apply(account, {
        personalDataMs: 90 * DAY,
        dedupeForMs: 365 * DAY,
        limit: 10,
      });
      expect(await store.bareRequests.find(account, resource, id)).toBeNull();
      // After 31 days the same request is a new one.
      await store.bareRequests.keep(account, aRequest({ id }));
      expect(await store.bareRequests.find(account, resource, id)).toMatchObject({ id });
    });

    it('is a possible owner of a transaction with its amount, phone and time', async () => {
      const account = newAccount();
      const mine = await keep(account);
      const money = mine.money as NonNullable<BareRequest['money']>;
      const other = await keep(account, {
        money: { ...money, payerHash: phoneHash('+254700000002') },
      });
      await keep(account, { money: { ...money, amountMinor: '1' } });
      await keep(account, { money: { ...money, currency: 'UGX' } });
      await keep(account, { money: null });
      await keep(newAccount());
      expect(await candidates(account)).toEqual([mine]);
      expect(await candidates(account, { payerHash: null })).toEqual([mine, other]);
    });

    it('is a possible owner of a transaction at the time of its sending, by the clock of the platform', async () => {
      const account = newAccount();
      const { sentAt, id } = await keep(account, { sentAt: new Date('2020-05-05T05:05:05.000Z') });
      const before = new Date(sentAt.getTime() - 1);
      const after = new Date(sentAt.getTime() + 1);
      expect(await candidates(account, { sentFrom: sentAt, sentTo: sentAt })).toMatchObject([
        { id },
      ]);
      expect(await candidates(account, { sentTo: before })).toEqual([]);
      expect(await candidates(account, { sentFrom: after })).toEqual([]);
    });

    it('is one of at most ten possible owners that the store returns', async () => {
      const account = newAccount();
      await Promise.all(times(12, () => keep(account)));
      expect(await candidates(account)).toHaveLength(10);
      expect(await candidates(account, { payerHash: null })).toHaveLength(10);
    });
  });
}
