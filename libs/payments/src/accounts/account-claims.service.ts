import { createHash } from 'node:crypto';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { PaymentsAccounts } from '../payments.accounts.js';
import { PaymentsConfigurationError, StoreUnavailableError } from '../payments.errors.js';
import type { PaymentsSettings } from '../payments.settings.js';
import { AccountSchedule } from '../runtime/account.schedule.js';
import { ACCOUNT_CLAIMS } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { SafeLogger } from '../runtime/safe.logger.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { joinedTills } from '../values/till-number.js';
import { AccountsStore, type AccountClaim, type AccountConflict } from './accounts.store.js';

/**
 * Claims the tills and API keys of each account in the store, so that two accounts, also of two applications on one database, do not
 * take each other's money.
 */
@Injectable()
export class AccountClaimsService implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly renewals: AccountSchedule;

  constructor(
    private readonly accountsStore: AccountsStore,
    private readonly accounts: PaymentsAccounts,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {
    this.renewals = new AccountSchedule({
      runtime,
      shutdown,
      accounts: () =>
        accounts.inBackground().map(({ account }) => ({
          account,
          firstMs: ACCOUNT_CLAIMS.firstMs,
          everyMs: ACCOUNT_CLAIMS.everyMs,
        })),
      run: (account) => this.renew(account),
    });
  }

  /** @throws PaymentsConfigurationError when another account has a till or an API key of one of ours */
  async onModuleInit(): Promise<void> {
    const problems = await this.problemsOf(this.accounts.all());
    if (problems.length > 0) throw new PaymentsConfigurationError(problems);
  }

  onApplicationBootstrap(): void {
    this.renewals.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.renewals.ended();
  }

  /** A start does not wait for a store that is away: the next renewal finds what contradicts. */
  private async problemsOf(accounts: readonly PaymentsSettings[]): Promise<string[]> {
    try {
      const conflicts = await this.runtime.inTime(
        this.accountsStore.claim(accounts.map(claimOf), ACCOUNT_CLAIMS.forMs),
        ACCOUNT_CLAIMS.waitMs,
        () => new StoreUnavailableError('it did not answer'),
      );
      return conflicts.map(problemOf);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return [];
      throw error;
    }
  }

  private async renew(account: string): Promise<void> {
    try {
      const problems = await this.problemsOf([this.accounts.of(account)]);
      for (const problem of problems)
        this.logger.error(`accounts contradict each other: ${problem}`);
    } catch (error) {
      this.logger.warn(`the claims of account ${account} were not renewed: ${String(error)}`);
    }
  }
}

function claimOf({
  account,
  tills,
  tillNumber,
  tillAliases,
  apiKeys,
}: PaymentsSettings): AccountClaim {
  const own = [...tills, ...(tillNumber === null ? [] : [tillNumber])];
  return {
    account,
    tills: [...new Set(own.flatMap((till) => joinedTills(till, tillAliases)))],
    keyHashes: apiKeys.map((key) => createHash('sha256').update(key).digest('hex')),
    listsTills: tills.length > 0,
  };
}

function problemOf(conflict: AccountConflict): string {
  const { account, other } = conflict;
  const whenGone = `If account "${other}" is not used any more, its claims end ${ACCOUNT_CLAIMS.forMs / 60_000} minutes after its last use`;
  if (conflict.kind === 'till') {
    return (
      `accounts "${account}" and "${other}" both have till ${conflict.till}, so its money would belong to both: remove it from one ` +
      `of them (tillNumber, tills, tillAliases). ${whenGone}`
    );
  }
  return (
    `accounts "${account}" and "${other}" share an API key, so a webhook for one is valid for the other: "${conflict.silent}" must ` +
    `list its tills (option \`tills\`), because then it ignores money at other tills. ${whenGone}`
  );
}
