import { MemoryStore } from '../../libs/payments/src/stores/memory/memory.store.js';
import { AlwaysChecker } from './always.checker.js';
import type { Feature, HistoryPlan } from './history.plan.js';
import { HostModel } from './host.model.js';
import { MoneyOutChecker } from './money-out.checker.js';
import { PlatformModel } from './platform.model.js';
import { ALIASES, OWN_TILLS } from './platform.truth.js';
import { Chance, hashOf } from './seeded.chance.js';
import { SimulatedReplica, type ReplicaSettings } from './simulated.replica.js';
import type { StoreBackend } from './store.backend.js';
import { StoreObserver } from './store.observer.js';
import { hasDueWork, knowsBareRequest } from './memory-store.inspection.js';
import { Scheduler, type Queue } from './virtual.scheduler.js';

/** A broken rule. */
export interface Violation {
  rule: string;
  what: string;
}

const DAY_MS = 86_400_000;

/** How long a supervisor waits for a process to stop before it kills it. */
const SHUTDOWN_TIMEOUT_MS = 30_000;

/** How often a fault can happen in one history: endless repetition costs time and finds nothing more. */
const MAX_TIMES: Partial<Record<Feature, number>> = { 'store crash after commit': 5 };

/** The state of one history: scheduler, store, platform, hosts, replicas and checkers. */
export class Simulation {
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  readonly platform: PlatformModel;
  readonly checker: AlwaysChecker;
  readonly moneyOut: MoneyOutChecker;
  readonly observer: StoreObserver;
  readonly hosts: HostModel;
  readonly replicas: (SimulatedReplica | null)[] = [];
  /** Situations that this history reached. See `situation.catalogue.ts`. */
  readonly situations = new Set<string>();
  /** Faults that happened, by name. */
  readonly faults = new Set<string>();
  /** Platform ids of creates whose answer was received. */
  readonly answered = new Set<string>();
  violation: Violation | null = null;
  /** Faults have stopped. */
  faultsStopped = false;
  storeAwayUntil = 0;
  platformAwayUntil = 0;
  /** Until then polling requests fail, also after the other faults have stopped. */
  listsAwayUntil = 0;
  platformAway: 'refused' | 'timeout' | 'server error' = 'refused';
  settings: ReplicaSettings;
  /** Whether store calls can fail in this history. */
  readonly storeFails: boolean;
  /** Transactions after this time must emit till events. */
  firstReadyAt = Infinity;
  /** Interval of sweeps after the faults have stopped; null before. */
  private quietSweepMs: number | null = null;
  aliasesWereRemoved = false;
  aliasesRemovedAt = Infinity;
  private readonly counts = new Map<string, number>();
  private readonly starts: number[] = [];
  private readonly happened = new Map<Feature, number>();
  private readonly failedStarts: number[] = [];

  /** Rules that were broken and are ignored. */
  readonly ignoredRules = new Set<string>();

  constructor(
    readonly plan: HistoryPlan,
    recording: boolean,
    private readonly ignores: (rule: string) => boolean,
    /** The database of this history; null: memory. */
    readonly backend: StoreBackend | null = null,
    /** Class of the processes. */
    private readonly Replica: typeof SimulatedReplica = SimulatedReplica,
  ) {
    this.storeFails = Object.keys(plan.features).some((feature) => feature.startsWith('store '));
    const order = new Chance(hashOf('order', plan.seed));
    this.scheduler = new Scheduler(
      () => order.next(),
      (what) => this.violate('endless history', what),
      recording,
      (queue) => this.hasDueWork(queue),
    );
    this.store = new MemoryStore(() => this.scheduler.now);
    const chance = this.chanceOf('platform clock');
    const off = this.rate('platform clock off') > 0;
    this.platform = new PlatformModel(
      this,
      off ? chance.pick([-DAY_MS, DAY_MS, 90_000, -7_000]) : 0,
      plan.settings.openingCents,
    );
    this.checker = new AlwaysChecker(this);
    this.moneyOut = new MoneyOutChecker(this);
    this.observer = backend?.begin(this) ?? new StoreObserver(this);
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

  /** Random numbers for one decision, by its name: they stay the same when other parts of the history are left out. */
  chanceOf(name: string): Chance {
    return new Chance(hashOf(name, this.plan.seed));
  }

  get clocksAreRight(): boolean {
    return this.rate('clock skew') === 0 && this.platform.offsetMs === 0;
  }

  /** Adds a number to a name: how often it has been used. */
  nthOf(name: string): string {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return `${name} ${count}`;
  }

  /** Whether a claim on a queue would find due work now. */
  hasDueWork(queue: Queue | null): boolean {
    const { now } = this.scheduler;
    return this.backend ? this.backend.hasDueWork(queue, now) : hasDueWork(this.store, queue, now);
  }

  /** Whether the store still keeps a bare request. */
  knowsBareRequest(platformId: string): boolean {
    const { now } = this.scheduler;
    return this.backend
      ? this.backend.knowsBareRequest(platformId, now)
      : knowsBareRequest(this.store, platformId, now);
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
    return this.plan.suppressed.has(name);
  }

  faulted(name: string): void {
    this.faults.add(name);
  }

  reached(situation: string): void {
    this.situations.add(situation);
  }

  violate(rule: string, what: string): void {
    if (this.violation) return;
    if (this.ignores(rule)) {
      this.ignoredRules.add(rule);
      if (rule === 'endless history') this.scheduler.stopped = true;
      return;
    }
    this.violation = { rule, what };
    this.scheduler.note(`VIOLATION of "${rule}": ${what}`);
    this.scheduler.stopped = true;
  }

  living(): SimulatedReplica[] {
    return this.replicas.filter((replica): replica is SimulatedReplica => replica?.alive === true);
  }

  /** A process that is ready for requests; null when there is none. */
  someReplica(chance: Chance): SimulatedReplica | null {
    const ready = this.living().filter((replica) => replica.ready);
    return ready.length > 0 ? chance.pick(ready) : null;
  }

  /** Starts a process in a slot, unless one runs there. */
  start(slot: number): void {
    if (this.replicas[slot]?.alive || (this.quietSweepMs !== null && slot > 0 && !this.plan.month))
      return;
    const generation = (this.starts[slot] = (this.starts[slot] ?? 0) + 1);
    const skew = this.chanceOf(`skew ${slot}`);
    const days = skew.happens(0.1) ? skew.pick([-DAY_MS, DAY_MS]) : 0;
    const skewMs = this.rate('clock skew') > 0 ? skew.pick([0, 400, -3_000, 20_000]) + days : 0;
    const name = `r${slot}.${generation}`;
    const settings =
      this.quietSweepMs === null
        ? this.settings
        : { ...this.settings, sweepEveryMs: this.quietSweepMs };
    const replica = new this.Replica(this, slot, name, settings, skewMs);
    this.replicas[slot] = replica;
    this.scheduler.park(replica, `${name} starts`, () => {
      replica.start().then(
        () => {
          this.failedStarts[slot] = 0;
          replica.ready = true;
          this.firstReadyAt = Math.min(this.firstReadyAt, this.scheduler.now + 1_000);
          this.hosts.subscribe(replica);
        },
        (error: unknown) => {
          // A supervisor starts it again, with exponential backoff.
          this.scheduler.note(`${name} could not start: ${String(error)}`);
          const failures = (this.failedStarts[slot] = (this.failedStarts[slot] ?? 0) + 1);
          this.crash(replica, Math.min(120_000, 1_000 * 2 ** failures));
        },
      );
    });
  }

  /** Kills a process: none of its steps runs any more. A new process starts in its slot later. */
  crash(replica: SimulatedReplica, downMs: number): void {
    if (!replica.alive) return;
    replica.alive = false;
    this.scheduler.note(`${replica.name} dies`);
    if (replica.listening > 0) this.reached('crash while a listener runs');
    this.backend?.lost(replica);
    replica.died();
    this.checker.died(replica);
    // Other processes find the work that it would have claimed.
    this.scheduler.changed();
    this.hosts.lost(replica);
    this.scheduler.after(downMs, null, `start in slot ${replica.slot}`, () =>
      this.start(replica.slot),
    );
  }

  /** Stops a process as a deployment does: it has some time to finish its work. */
  shutDown(replica: SimulatedReplica, downMs: number): void {
    if (!replica.alive) return;
    replica.ready = false;
    this.reached('graceful shutdown');
    this.scheduler.park(replica, `${replica.name} is asked to stop`, () => {
      const end = (): void => this.crash(replica, downMs);
      replica.stop().then(end, end);
      this.scheduler.after(SHUTDOWN_TIMEOUT_MS, null, `${replica.name} is killed`, end);
    });
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

  /**
   * Restarts with rarer sweeps, because days without faults need no sweep every quarter of an hour. Processes other than the first
   * start again only if a month follows.
   */
  continueQuietly(sweepEveryMs: number): void {
    this.quietSweepMs = sweepEveryMs;
    for (const replica of this.living()) this.crash(replica, 1_000);
  }

  /** Whether money has moved since a time. */
  hasMoneySince(time: number): boolean {
    return this.platform.moneys.some(({ at }) => at > time);
  }

  /** Whether every process has the alias that joins both numbers of a till. */
  formsAreKnown(): boolean {
    const { aliases } = this.plan.settings;
    if (aliases === 'never') return false;
    if (aliases === 'always') return true;
    if (this.aliasesWereRemoved || Object.keys(this.settings.aliases).length === 0) return false;
    return this.living().every(({ settings }) => Object.keys(settings.aliases).length > 0);
  }
}
