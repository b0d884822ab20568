import { NEVER } from 'rxjs';
import { BareRequestsStore, type BareRequest } from '../store/bare-requests.store.js';
import type { CandidateQuery } from '../store/operations.store.js';
import { MATCHED_FOR_MS } from '../store/transactions.store.js';
import { PerAccount } from '../runtime/per-account.js';

const MOST_CANDIDATES = 10;

export class MemoryBareRequestsStore extends BareRequestsStore {
  private readonly requests = new PerAccount(
    () => new Map<string, BareRequest & { at: number }>(),
    NEVER,
  );

  constructor(private readonly now: () => number) {
    super();
  }

  async keep(account: string, request: BareRequest): Promise<void> {
    const requests = this.requests.get(account);
    for (const [key, { at }] of requests) {
      if (at > this.now() - MATCHED_FOR_MS) break;
      requests.delete(key);
    }
    const key = `${request.resource}/${request.id}`;
    const kept = requests.get(key);
    requests.set(key, {
      ...request,
      platformId: request.platformId ?? kept?.platformId ?? null,
      money: kept && kept.money === null ? null : request.money,
      at: this.now(),
    });
  }

  async find(
    account: string,
    resource: BareRequest['resource'],
    id: string,
  ): Promise<BareRequest | null> {
    const { at, ...request } = this.requests.get(account).get(`${resource}/${id}`) ?? {};
    return at !== undefined && at > this.now() - MATCHED_FOR_MS ? (request as BareRequest) : null;
  }

  /** Returns the bare requests to which money may still belong. */
  all(account: string): (Pick<BareRequest, 'id' | 'money'> & { at: Date })[] {
    return [...this.requests.get(account).values()]
      .filter(({ at }) => at > this.now() - MATCHED_FOR_MS)
      .map(({ id, money, at }) => ({ id, money, at: new Date(at) }));
  }

  async findCandidates(
    account: string,
    { currency, amountMinor, payerHash, sentFrom, sentTo }: CandidateQuery,
  ): Promise<BareRequest[]> {
    return [...this.requests.get(account).values()]
      .filter(
        ({ money, at, sentAt }) =>
          money !== null &&
          money.currency === currency &&
          money.amountMinor === amountMinor &&
          (payerHash === null || money.payerHash === payerHash) &&
          at > this.now() - MATCHED_FOR_MS &&
          sentAt >= sentFrom &&
          sentAt <= sentTo,
      )
      .slice(0, MOST_CANDIDATES)
      .map(({ at: _, ...request }) => request);
  }
}
