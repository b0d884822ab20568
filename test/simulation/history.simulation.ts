import { AlwaysChecker } from './always.checker.js';
import { Credentials } from './credentials.checker.js';
import { CrossTalkChecker } from './cross-talk.checker.js';
import { markOf, type Account } from './history.accounts.js';
import type { Processes } from './history.processes.js';
import type { Feature, HistoryPlan } from './history.plan.js';
import { HostModel } from './host.model.js';
import { knowsBareRequest } from './memory-store.inspection.js';
import { MoneyOutChecker } from './money-out.checker.js';
import { PlatformModel } from './platform.model.js';
import { ALIASES, OWN_TILLS } from './platform.truth.js';
import type { ReplicaAccount } from './replica.account.js';
import { Chance, hashOf } from './seeded.chance.js';
import type { ReplicaSettings, SimulatedReplica } from './simulated.replica.js';
import { StoreObserver } from './store.observer.js';
import { LabelledScheduler } from './virtual.scheduler.js';

/** A fault can happen this many times in one history. Endless repetition costs time and finds nothing more. */
const MAX_TIMES: Partial<Record<Feature, number>> = { 'store crash after commit': 5 };

/** The state of one account in a history: its platform, hosts and checkers. The processes serve all accounts. */
export class Simulation {
  readonly scheduler: LabelledScheduler;
  readonly platform: PlatformModel;
  readonly checker: AlwaysChecker;
  readonly moneyOut: MoneyOutChecker;
  readonly crossTalk: CrossTalkChecker;
  readonly observer: StoreObserver;
  readonly hosts: HostModel;
  /** Platform ids of creates whose answer was received. */
  readonly answered = new Set<string>();
  readonly credentials = new Credentials(this);
  /** The number of times that the account got other credentials. */
  generation = 0;
  platformAwayUntil = 0;
  /** Polling requests fail until this time, even after the other faults have stopped. */
  listsAwayUntil = 0;
  platformAway: 'refused' | 'timeout' | 'server error' = 'refused';
  settings: ReplicaSettings;
  /** Transactions after this time must emit till events. */
  firstReadyAt = Infinity;
  aliasesWereRemoved = false;
  aliasesRemovedAt = Infinity;
  private readonly counts = new Map<string, number>();
  private readonly happened = new Map<Feature, number>();
  /** The names of this account's faults and steps begin with this text. */
  private readonly prefix: string;

  constructor(
    readonly plan: HistoryPlan,
    readonly processes: Processes,
    readonly account: Account,
  ) {
    this.prefix = account === 'default' ? '' : `${account}: `;
    this.scheduler = new LabelledScheduler(processes.scheduler, this.prefix);
    this.platform = new PlatformModel(this, processes.platformOffsetMs, plan.settings.openingCents);
    this.checker = new AlwaysChecker(this);
    this.moneyOut = new MoneyOutChecker(this);
    this.crossTalk = new CrossTalkChecker(this);
    this.observer = processes.backend?.observerOf(this) ?? new StoreObserver(this);
    this.hosts = new HostModel(this);
    const { aliases, verification, tills, sweepEveryMs, reviewAfterMs, requestsPerSecond, limits } =
      plan.settings;
    this.settings = {
      aliases: aliases === 'always' || aliases === 'removed' ? ALIASES : {},
      verification,
      tills: tills === 'own' || tills === 'widened' ? OWN_TILLS : [],
      sweepEveryMs,
      reviewAfterMs,
      requestsPerSecond,
      limits,
    };
  }

  /** A text in the data of this account that the data of no other account has. */
  get mark(): string {
    return markOf(this.account);
  }

  get faultsStopped(): boolean {
    return this.processes.faultsStopped;
  }

  /** Returns random numbers for one decision, by its name: they stay the same when other parts of the history are left out. */
  chanceOf(name: string): Chance {
    return new Chance(hashOf(name, this.plan.seed));
  }

  get clocksAreRight(): boolean {
    return this.rate('clock skew') === 0 && this.platform.offsetMs === 0;
  }

  /** Adds a number to a name: the number of times that it has been used. */
  nthOf(name: string): string {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return `${name} ${count}`;
  }

  /** True when the store still keeps a bare request. */
  knowsBareRequest(platformId: string): boolean {
    const { scheduler, store, backend } = this.processes;
    return backend
      ? backend.knowsBareRequest(this.account, platformId, scheduler.now)
      : knowsBareRequest(store, this.account, platformId, scheduler.now);
  }

  rate(feature: Feature): number {
    return this.plan.features[feature] ?? 0;
  }

  /** Draws whether a feature happens now. */
  happens(chance: Chance, feature: Feature): boolean {
    const rate = this.plan.features[feature];
    if (rate === undefined || this.faultsStopped || !chance.happens(rate)) return false;
    const times = (this.happened.get(feature) ?? 0) + 1;
    this.happened.set(feature, times);
    return times <= (MAX_TIMES[feature] ?? 60);
  }

  isSuppressed(name: string): boolean {
    return this.processes.plan.suppressed.has(`${this.prefix}${name}`);
  }

  faulted(name: string): void {
    this.processes.faults.add(`${this.prefix}${name}`);
  }

  reached(situation: string): void {
    this.processes.reached(situation);
  }

  violate(rule: string, what: string): void {
    this.processes.violate(rule, `${this.prefix}${what}`);
  }

  living(): ReplicaAccount[] {
    return this.processes.living().map((replica) => replica.of(this.account));
  }

  /** Returns a process that is ready for requests, as this account sees it; null when there is none. */
  someReplica(chance: Chance): ReplicaAccount | null {
    const ready = this.living().filter((replica) => replica.ready);
    return ready.length > 0 ? chance.pick(ready) : null;
  }

  /** The account gets other credentials. Each process learns that at its own time, and new processes have them. */
  rotate(id: string, withinMs: number): void {
    this.generation += 1;
    const { generation } = this;
    this.reached('other credentials of an account in use');
    for (const replica of this.processes.living()) {
      const inMs = this.chanceOf(`${id} ${replica.name}`).duration(1, withinMs);
      this.scheduler.after(inMs, replica, `${replica.name} learns ${id}`, () =>
        replica.rotate(this.account, generation),
      );
    }
  }

  /** The simulation calls this when a process is ready for requests. */
  ready(replica: ReplicaAccount): void {
    this.firstReadyAt = Math.min(this.firstReadyAt, this.scheduler.now + 1_000);
    this.hosts.subscribe(replica);
  }

  /** True when a call of this account's host runs in a process now. */
  isWorkingIn({ name }: SimulatedReplica): boolean {
    return this.hosts.calls.some(
      ({ state, replica }) => state === 'running' && replica.name === name,
    );
  }

  /** Changes settings from the next start on. */
  change(settings: Partial<ReplicaSettings>): void {
    if (settings.aliases) {
      if (Object.keys(settings.aliases).length === 0) {
        this.aliasesWereRemoved = true;
        this.aliasesRemovedAt = Math.min(this.aliasesRemovedAt, this.scheduler.now);
      }
      if (this.platform.moneys.some(({ request }) => request !== null))
        this.reached('aliases changed after money came');
    }
    this.settings = { ...this.settings, ...settings };
  }

  /** True when money has moved since a time. */
  hasMoneySince(time: number): boolean {
    return this.platform.moneys.some(({ at }) => at > time);
  }

  /** True when every process has the alias that joins both numbers of a till. */
  formsAreKnown(): boolean {
    const { aliases } = this.plan.settings;
    if (aliases === 'never') return false;
    if (aliases === 'always') return true;
    if (this.aliasesWereRemoved || Object.keys(this.settings.aliases).length === 0) return false;
    return this.living().every(({ settings }) => Object.keys(settings.aliases).length > 0);
  }
}
