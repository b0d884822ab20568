import { createHash } from 'node:crypto';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { AccountRegistry } from './account-registry.js';
import { PaymentsConfigurationError, StoreUnavailableError } from '../payments.errors.js';
import type { PaymentsSettings } from './payments.settings.js';
import { Runtime, SECOND } from '../runtime/clock.js';
import { LastingProblem, SafeLogger } from '../runtime/logging.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { joinedTills, plainNumber } from '../money/till-number.js';
import { AccountsStore, type AccountClaim, type AccountConflict } from '../store/accounts.store.js';

/** Accounts reserve their tills and API keys in the store. */
const STORE = {
  /** A start waits this long for the store. */
  waitMs: 5 * SECOND,
  /** We try again after this time while the store is away, or while two accounts want the same till or key. */
  againMs: 5 * SECOND,
} as const;

/**
 * Reserves the tills and API keys of each account in the store, so that two accounts, also of two applications on one database, do not
 * take each other's money.
 */
@Injectable()
export class AccountReservationsService
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy
{
  private readonly logger = new SafeLogger();
  private readonly problem = new LastingProblem();
  private later: Promise<void> = Promise.resolve();
  private isReserved = false;

  constructor(
    private readonly accountsStore: AccountsStore,
    private readonly accounts: AccountRegistry,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  /**
   * A start does not wait for a store that is away: the reservation then follows as soon as it answers.
   * @throws PaymentsConfigurationError when another account has a till or an API key of one of ours
   */
  async onModuleInit(): Promise<void> {
    try {
      const conflicts = await this.reserveInTime(this.accounts.all());
      if (conflicts.length > 0) throw new PaymentsConfigurationError(conflicts.map(problemOf));
      this.isReserved = true;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
  }

  onApplicationBootstrap(): void {
    // A timer would keep a command from ending.
    if (this.accounts.worksInBackground && !this.isReserved) this.later = this.reserveLater();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.later;
  }

  /** Reserves for accounts that are being added. Returns what is wrong with some of them; for these nothing is reserved. */
  async reserveFor(
    settings: readonly PaymentsSettings[],
  ): Promise<ReadonlyMap<string, PaymentsConfigurationError>> {
    const conflicts = await this.reserveInTime(settings);
    const wrong = new Map(
      conflicts.map((conflict) => [
        conflict.account,
        new PaymentsConfigurationError([problemOf(conflict)], 'cannot open the account'),
      ]),
    );
    if (wrong.size === 0) return wrong;
    const others = settings.filter(({ account }) => !wrong.has(account));
    return new Map([...wrong, ...(await this.reserveFor(others))]);
  }

  private async reserveLater(): Promise<void> {
    while (!this.isReserved && (await this.shutdown.pause(STORE.againMs))) {
      try {
        const conflicts = await this.reserveInTime(this.accounts.all());
        const wrong = new Set(conflicts.map(({ account }) => account));
        const others = this.accounts.all().filter(({ account }) => !wrong.has(account));
        if (wrong.size > 0) await this.reserveInTime(others);
        this.suspendWrong(wrong, conflicts);
        this.isReserved = wrong.size === 0;
      } catch (error) {
        this.logger.debug(`the tills of the accounts could not be reserved: ${String(error)}`);
      }
    }
  }

  private reserveInTime(
    settings: readonly PaymentsSettings[],
  ): Promise<readonly AccountConflict[]> {
    // A removed account reserves nothing: another one may have its till.
    const reservations = settings.filter(({ isRemoved }) => !isRemoved).map(reservationOf);
    if (reservations.length === 0) return Promise.resolve([]);
    return this.runtime.inTime(
      this.accountsStore.claim(reservations),
      STORE.waitMs,
      () => new StoreUnavailableError('it did not answer'),
    );
  }

  /** Suspends the background work of accounts that own what another one owns: their money would be that of two accounts. */
  private suspendWrong(wrong: ReadonlySet<string>, [first]: readonly AccountConflict[]): void {
    for (const { account } of this.accounts.all())
      this.accounts.suspend(account, wrong.has(account));
    if (!first) this.problem.end('no two accounts own the same till or key any more');
    else {
      this.problem.begin(
        `the background work of account ${[...wrong].join(', ')} is suspended, and its deliveries wait: ${problemOf(first)}`,
      );
    }
  }
}

function reservationOf({
  account,
  tills,
  tillNumber,
  tillAliases,
  apiKeys,
}: PaymentsSettings): AccountClaim {
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
  const whenGone = `If account "${other}" does not use it any more, release it: npx @tillkit/cli accounts release ${other}`;
  if (conflict.kind === 'till') {
    return (
      `accounts "${account}" and "${other}" both have till ${conflict.till}, so its money would belong to both: remove it from one ` +
      `of them (tillNumber, tills, tillAliases). ${whenGone} --till ${conflict.till}`
    );
  }
  return (
    `accounts "${account}" and "${other}" share an API key, so a webhook for one is valid for the other: "${conflict.silent}" must ` +
    `list its tills (option \`tills\`), because then it ignores money at other tills. ${whenGone}`
  );
}
