import { Injectable } from '@nestjs/common';
import { DeliveriesStore } from '../store/deliveries.store.js';
import { CallbackUrls } from '../work/callback-urls.js';
import { KnownAccounts } from '../work/known-accounts.js';
import type { Operation } from '../store/operation.js';
import { SafeLogger } from '../work/safe-logger.js';
import { PerAccount } from '../work/per-account.js';

/** Now and then a callback is lost. So many in a row are not. */
const READ_IN_A_ROW = 3;

/** How many of the newest deliveries are searched for a callback. */
const MOST_SEARCHED = 200;

interface Account {
  /** When the operations were made that ended by a read, the oldest first. */
  readOperations: Date[];
  /** Since when callbacks are missing, when that was logged. */
  missingSince: Date | null;
}

/**
 * Warns when payments end because they are read, and no callback comes: a wrong public URL harms nobody at once, so nobody would notice
 * that every payment takes 20 s longer and that no till event comes by webhook.
 */
@Injectable()
export class MissingCallbacksService {
  private readonly logger = new SafeLogger();
  private readonly byAccount: PerAccount<Account>;

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly urls: CallbackUrls,
    accounts: KnownAccounts,
  ) {
    this.byAccount = new PerAccount<Account>(
      () => ({ readOperations: [], missingSince: null }),
      accounts.forgotten$,
    );
  }

  /** Call it when a read has settled an operation. Never throws: a store that is away now answers the next time. */
  async settledByRead({ account, createdAt }: Operation): Promise<void> {
    const state = this.byAccount.of(account);
    state.readOperations.push(createdAt);
    const [oldest] = state.readOperations;
    if (state.readOperations.length < READ_IN_A_ROW || !oldest) return;
    state.readOperations = [];
    const came = await this.callbackCameSince(account, state.missingSince ?? oldest);
    if (came === 'unknown') return;
    // A callback between two outages makes the second one worth a line.
    if (came && state.missingSince) state.missingSince = null;
    if (state.missingSince || (await this.callbackCameSince(account, oldest)) !== false) return;
    state.missingSince = oldest;
    const url = this.urls.root(account);
    this.logger.warn(
      `the last ${READ_IN_A_ROW} operations ended only because they were read: no callback has come. The platform ` +
        `probably does not reach ${url}/callbacks: check PAYMENTS_PUBLIC_URL, the paths that your proxy forwards, and whether this log has ` +
        `refused deliveries. From outside, "curl -i -X POST ${url}/callbacks/polling/x" must be answered with 401`,
      { account },
    );
  }

  /** 'unknown' when the store does not answer, or when too many webhooks came since then to tell. */
  private async callbackCameSince(account: string, since: Date): Promise<boolean | 'unknown'> {
    try {
      const { items, next } = await this.deliveriesStore.list(
        account,
        {},
        { limit: MOST_SEARCHED },
      );
      const newer = items.filter(({ receivedAt }) => receivedAt > since);
      if (newer.some(({ kind }) => kind === 'callback')) return true;
      return next && newer.length === items.length ? 'unknown' : false;
    } catch {
      return 'unknown';
    }
  }
}
