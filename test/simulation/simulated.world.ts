import { MemoryStore } from '../../libs/payments/src/stores/memory/memory.store.js';
import { AlwaysChecker } from './always.checker.js';
import type { Feature, HistoryPlan } from './history.plan.js';
import { HostModel } from './host.model.js';
import { PlatformModel } from './platform.model.js';
import { ALIASES, OWN_TILLS } from './platform.truth.js';
import { Chance, hashOf } from './seeded.chance.js';
import { SimulatedReplica, type ReplicaSettings } from './simulated.replica.js';
import type { StoreBackend } from './store.backend.js';
import { StoreObserver } from './store.observer.js';
import { holdsWork, remembersBare } from './store.peek.js';
import { Scheduler, type Queue } from './virtual.scheduler.js';

/** A rule that did not hold. */
export interface Violation {
  rule: string;
  what: string;
}

const DAY_MS = 86_400_000;

/** How long a supervisor waits for a process to end by itself. */
const PATIENCE_MS = 30_000;

/** A fault that never ends shows no more than one that ends, and costs more. */
const MOST_TIMES: Partial<Record<Feature, number>> = { 'store crash after commit': 5 };

/** Everything of one history: its time, its store, its platform, its hosts and its replicas. */
export class World {
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  readonly platform: PlatformModel;
  readonly checker: AlwaysChecker;
  readonly observer: StoreObserver;
  readonly hosts: HostModel;
  readonly replicas: (SimulatedReplica | null)[] = [];
  /** Situations that this history reached. */
  readonly situations = new Set<string>();
  /** Faults that happened, by name. */
  readonly faults = new Set<string>();
  /** Creates whose answer reached us, by the platform's id. */
  readonly answered = new Set<string>();
  violation: Violation | null = null;
  /** Faults have stopped. */
  quiet = false;
  storeAwayUntil = 0;
  platformAwayUntil = 0;
  /** Until then the platform lists no transactions, whatever else is quiet. */
  listsAwayUntil = 0;
  platformAway: 'refused' | 'timeout' | 'server error' = 'refused';
  settings: ReplicaSettings;
  /** Whether calls of the store may fail at all in this history. */
  readonly storeFails: boolean;
  /** From then on what moves at a till counts as new. */
  firstReadyAt = Infinity;
  /** How often the one process that still sweeps does; null before all is quiet. */
  private resting: number | null = null;
  aliasesWereRemoved = false;
  aliasesRemovedAt = Infinity;
  private readonly counts = new Map<string, number>();
  private readonly starts: number[] = [];
  private readonly happened = new Map<Feature, number>();
  private readonly failedStarts: number[] = [];

  /** Rules that were broken and are not to end this history. */
  readonly ignoredRules = new Set<string>();

  constructor(
    readonly plan: HistoryPlan,
    recording: boolean,
    private readonly ignores: (rule: string) => boolean,
    /** Where payments are kept when it is not this process's memory. */
    readonly backend: StoreBackend | null = null,
    /** How a process is made. */
    private readonly Replica: typeof SimulatedReplica = SimulatedReplica,
  ) {
    this.storeFails = Object.keys(plan.features).some((feature) => feature.startsWith('store '));
    const order = new Chance(hashOf('order', plan.seed));
    this.scheduler = new Scheduler(
      () => order.next(),
      (what) => this.violate('no rest', what),
      recording,
      (queue) => this.holdsWork(queue),
    );
    this.store = new MemoryStore(() => this.scheduler.now);
    const chance = this.chanceOf('platform clock');
    const off = this.rate('platform clock off') > 0;
    this.platform = new PlatformModel(
      this,
      off ? chance.pick([-DAY_MS, DAY_MS, 90_000, -7_000]) : 0,
    );
    this.checker = new AlwaysChecker(this);
    this.observer = backend?.begin(this) ?? new StoreObserver(this);
    this.hosts = new HostModel(this);
    const { aliases, verification, tills, sweepEveryMs, reviewAfterMs, requestsPerSecond } =
      plan.settings;
    this.settings = {
      aliases: aliases === 'always' || aliases === 'removed' ? ALIASES : {},
      verification,
      tills: tills === 'own' || tills === 'widened' ? OWN_TILLS : [],
      sweepEveryMs,
      reviewAfterMs,
      requestsPerSecond,
    };
  }

  /** Chance of one decision, by its name: it stays the same when other parts of the history are left out. */
  chanceOf(name: string): Chance {
    return new Chance(hashOf(name, this.plan.seed));
  }

  get clocksAreRight(): boolean {
    return this.rate('clock skew') === 0 && this.platform.offsetMs === 0;
  }

  /** A name with its number: the third time that something of this name happens. */
  nthOf(name: string): string {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return `${name} ${count}`;
  }

  /** Whether a look for work in a queue would find some now. */
  holdsWork(queue: Queue | null): boolean {
    const { now } = this.scheduler;
    return this.backend ? this.backend.holdsWork(queue, now) : holdsWork(this.store, queue, now);
  }

  /** Whether the store still knows that the host asked for a payment by itself. */
  remembersBare(platformId: string): boolean {
    const { now } = this.scheduler;
    return this.backend
      ? this.backend.remembersBare(platformId, now)
      : remembersBare(this.store, platformId, now);
  }

  rate(feature: Feature): number {
    return this.plan.features[feature] ?? 0;
  }

  /** Whether a feature that is on happens here. */
  happens(chance: Chance, feature: Feature): boolean {
    const rate = this.plan.features[feature];
    if (rate === undefined || this.quiet || !chance.happens(rate)) return false;
    const times = (this.happened.get(feature) ?? 0) + 1;
    this.happened.set(feature, times);
    return times <= (MOST_TIMES[feature] ?? 60);
  }

  isSuppressed(name: string): boolean {
    return this.plan.suppressed.has(name);
  }

  faulted(name: string): void {
    this.faults.add(name);
  }

  met(situation: string): void {
    this.situations.add(situation);
  }

  violate(rule: string, what: string): void {
    if (this.violation) return;
    if (this.ignores(rule)) {
      this.ignoredRules.add(rule);
      if (rule === 'no rest') this.scheduler.stopped = true;
      return;
    }
    this.violation = { rule, what };
    this.scheduler.note(`VIOLATION of "${rule}": ${what}`);
    this.scheduler.stopped = true;
  }

  living(): SimulatedReplica[] {
    return this.replicas.filter((replica): replica is SimulatedReplica => replica?.alive === true);
  }

  /** A process that takes requests: one that starts is not behind the load balancer yet. */
  someReplica(chance: Chance): SimulatedReplica | null {
    const ready = this.living().filter((replica) => replica.ready);
    return ready.length > 0 ? chance.pick(ready) : null;
  }

  /** Starts a process in a place where none runs. */
  start(slot: number): void {
    if (this.replicas[slot]?.alive || (this.resting !== null && slot > 0 && !this.plan.month))
      return;
    const generation = (this.starts[slot] = (this.starts[slot] ?? 0) + 1);
    const skew = this.chanceOf(`skew ${slot}`);
    const days = skew.happens(0.1) ? skew.pick([-DAY_MS, DAY_MS]) : 0;
    const skewMs = this.rate('clock skew') > 0 ? skew.pick([0, 400, -3_000, 20_000]) + days : 0;
    const name = `r${slot}.${generation}`;
    const settings =
      this.resting === null
        ? this.settings
        : { ...this.settings, sweepEveryMs: slot === 0 ? this.resting : 0 };
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
          // A supervisor starts again what could not start, a little later each time.
          this.scheduler.note(`${name} could not start: ${String(error)}`);
          const failures = (this.failedStarts[slot] = (this.failedStarts[slot] ?? 0) + 1);
          this.crash(replica, Math.min(120_000, 1_000 * 2 ** failures));
        },
      );
    });
  }

  /** Ends a process at once: nothing of it runs any more. Something starts in its place later. */
  crash(replica: SimulatedReplica, downMs: number): void {
    if (!replica.alive) return;
    replica.alive = false;
    this.scheduler.note(`${replica.name} dies`);
    if (replica.listening > 0) this.met('crash while a listener runs');
    this.backend?.lost(replica);
    replica.died();
    this.checker.died(replica);
    // What it was about to look for is found by others.
    this.scheduler.changed();
    this.hosts.lost(replica);
    this.scheduler.after(downMs, null, `start in place ${replica.slot}`, () =>
      this.start(replica.slot),
    );
  }

  /** Ends a process as a deployment does: it may finish what it began, for a while. */
  shutDown(replica: SimulatedReplica, downMs: number): void {
    if (!replica.alive) return;
    replica.ready = false;
    this.met('graceful shutdown');
    this.scheduler.park(replica, `${replica.name} is asked to end`, () => {
      const end = (): void => this.crash(replica, downMs);
      replica.stop().then(end, end);
      this.scheduler.after(PATIENCE_MS, null, `${replica.name} is killed`, end);
    });
  }

  /** Other settings from the next start on. */
  change(settings: Partial<ReplicaSettings>): void {
    if (settings.aliases) {
      if (Object.keys(settings.aliases).length === 0) {
        this.aliasesWereRemoved = true;
        this.aliasesRemovedAt = Math.min(this.aliasesRemovedAt, this.scheduler.now);
      }
      if (this.platform.moneys.some(({ request }) => request !== null))
        this.met('aliases changed after money came');
    }
    this.settings = { ...this.settings, ...settings };
  }

  /**
   * From now on one process goes on, and sweeps seldom: days of quiet need no sweep each quarter of an hour. Where a month
   * passes the others go on as well, without sweeps.
   */
  rest(sweepEveryMs: number): void {
    this.resting = sweepEveryMs;
    for (const replica of this.living()) this.crash(replica, 1_000);
  }

  /** Whether each process knows that both numbers of a till are one till. */
  formsAreKnown(): boolean {
    const { aliases } = this.plan.settings;
    if (aliases === 'never') return false;
    if (aliases === 'always') return true;
    if (this.aliasesWereRemoved || Object.keys(this.settings.aliases).length === 0) return false;
    return this.living().every(({ settings }) => Object.keys(settings.aliases).length > 0);
  }
}
