import { createHash } from 'node:crypto';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { KnownAccounts } from '../known.accounts.js';
import { PaymentsConfigurationError, StoreUnavailableError } from '../payments.errors.js';
import type { PaymentsSettings } from '../payments.settings.js';
import { ACCOUNT_CLAIMS } from '../runtime/backoff.js';
import { LastingProblem } from '../runtime/lasting-problem.js';
import { Runtime } from '../runtime/runtime.js';
import { SafeLogger } from '../runtime/safe.logger.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { joinedTills, plainNumber } from '../values/till-number.js';
import { AccountsStore, type AccountClaim, type AccountConflict } from './accounts.store.js';

/**
 * Claims the tills and API keys of each account in the store, so that two accounts, also of two applications on one database, do not
 * take each other's money.
 */
@Injectable()
export class AccountClaimsService implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly problem = new LastingProblem();
  private isClaimed = false;
  private renewals: Promise<void> = Promise.resolve();

  constructor(
    private readonly accountsStore: AccountsStore,
    private readonly accounts: KnownAccounts,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  /**
   * A start does not wait for a store that is away: the next claim finds what contradicts.
   * @throws PaymentsConfigurationError when another account has a till or an API key of one of ours
   */
  async onModuleInit(): Promise<void> {
    try {
      const conflicts = await this.claim();
      if (conflicts.length > 0) throw new PaymentsConfigurationError(conflicts.map(problemOf));
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }

  onApplicationBootstrap(): void {
    // A timer would keep a command from ending.
    if (this.accounts.worksInBackground) this.renewals = this.renew();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.renewals;
  }

  private async renew(): Promise<void> {
    const waitMs = (): number => (this.isClaimed ? ACCOUNT_CLAIMS.everyMs : ACCOUNT_CLAIMS.againMs);
    while (await this.shutdown.pause(waitMs())) {
      try {
        this.suspendWrong(await this.claim());
      } catch (error) {
        this.logger.debug(`the claims of the accounts were not renewed: ${String(error)}`);
      }
    }
  }

  /** Claims for accounts that are being added. Returns what is wrong with some of them; their claims changed nothing. */
  async claimFor(
    settings: readonly PaymentsSettings[],
  ): Promise<ReadonlyMap<string, PaymentsConfigurationError>> {
    const claims = settings.map(claimOf);
    const conflicts = await this.claimInTime(claims, true);
    const wrong = new Map(
      conflicts.map((conflict) => [
        conflict.account,
        new PaymentsConfigurationError([problemOf(conflict)], 'cannot open the account'),
      ]),
    );
    const left = claims.filter(({ account }) => !wrong.has(account));
    if (wrong.size === 0 || left.length === 0) return wrong;
    return new Map([
      ...wrong,
      ...(await this.claimFor(settings.filter((one) => !wrong.has(one.account)))),
    ]);
  }

  /** Claims for all accounts; if some of them contradict others, for the rest. Returns what contradicts. */
  private async claim(): Promise<readonly AccountConflict[]> {
    const claims = this.accounts.all().map(claimOf);
    const conflicts = await this.claimInTime(claims, false);
    this.isClaimed = conflicts.length === 0;
    const wrong = new Set(conflicts.map(({ account }) => account));
    const left = claims.filter(({ account }) => !wrong.has(account));
    if (wrong.size > 0) await this.claimInTime(left, false);
    return conflicts;
  }

  private claimInTime(
    claims: readonly AccountClaim[],
    areNew: boolean,
  ): Promise<readonly AccountConflict[]> {
    return this.runtime.inTime(
      this.accountsStore.claim(claims, ACCOUNT_CLAIMS.forMs, areNew),
      ACCOUNT_CLAIMS.waitMs,
      () => new StoreUnavailableError('it did not answer'),
    );
  }

  /** Suspends the background work of accounts whose claims contradict: their money would be that of two accounts. */
  private suspendWrong(conflicts: readonly AccountConflict[]): void {
    const wrong = new Set(conflicts.map(({ account }) => account));
    for (const { account } of this.accounts.all())
      this.accounts.suspend(account, wrong.has(account));
    // The till may have moved, and only this process does not know it yet.
    for (const account of wrong) void this.accounts.reload(account);
    const [first] = conflicts;
    if (!first) this.problem.end('no claims of accounts contradict each other any more');
    else {
      this.problem.begin(
        `the background work of account ${[...wrong].join(', ')} is suspended, and its deliveries wait: ${problemOf(first)}`,
      );
    }
  }
}

/** A removed account claims nothing: another one may have its till. */
function claimOf({
  account,
  tills,
  tillNumber,
  tillAliases,
  apiKeys,
  isRemoved,
}: PaymentsSettings): AccountClaim {
  if (isRemoved) return { account, tills: [], keyHashes: [], listsTills: true };
  const own = [...tills, ...(tillNumber === null ? [] : [tillNumber])];
  const numbers = own.flatMap((till) => joinedTills(till, tillAliases));
  return {
    account,
    tills: [...new Set([...numbers, ...numbers.map(plainNumber)])],
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
