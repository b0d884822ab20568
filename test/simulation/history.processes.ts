import { MemoryStore } from '../../libs/payments/src/memory/memory.store.js';
import type { HistoryPlan } from './history.plan.js';
import { Simulation } from './history.simulation.js';
import { ACCOUNTS, type Account } from './history.accounts.js';
import { hasDueWork } from './memory-store.inspection.js';
import { Pauses } from './pauses.checker.js';
import { Permissions } from './permissions.checker.js';
import { Chance, hashOf } from './seeded.chance.js';
import { SimulatedReplica } from './simulated.replica.js';
import type { StoreBackend } from './store.backend.js';
import { accountIn } from './store.observer.js';
import { Scheduler, type Queue } from './virtual.scheduler.js';

/** A broken rule. */
export interface Violation {
  rule: string;
  what: string;
}

const DAY_MS = 86_400_000;

/** A supervisor waits this many milliseconds for a process to stop before it kills it. */
const SHUTDOWN_TIMEOUT_MS = 30_000;

/** No outage lasts for this many starts. More failures mean that nothing is tried at all. */
const MOST_FAILED_STARTS = 150;

/** All accounts of a history share this: the scheduler, the store, and the processes that serve them. */
export class Processes {
  readonly scheduler: Scheduler;
  readonly store: MemoryStore;
  /** The worlds: one for each account, with its platform, hosts and rules. */
  readonly worlds: readonly Simulation[];
  readonly pauses: Pauses;
  readonly permissions = new Permissions(this);
  readonly replicas: (SimulatedReplica | null)[] = [];
  /** Situations that this history reached. See `situation.catalogue.ts`. */
  readonly situations = new Set<string>();
  /** Faults that happened, by name. */
  readonly faults = new Set<string>();
  /** Rules that were broken and are ignored. */
  readonly ignoredRules = new Set<string>();
  violation: Violation | null = null;
  /** True when faults have stopped. */
  faultsStopped = false;
  storeAwayUntil = 0;
  /** True when store calls can fail in this history. */
  readonly storeFails: boolean;
  /** The platform's clock is this many milliseconds ahead. All accounts are on one platform. */
  readonly platformOffsetMs: number;
  /** Interval of sweeps after the faults have stopped; null before. */
  private quietSweepMs: number | null = null;
  private readonly starts: number[] = [];
  private readonly failedStarts: number[] = [];

  constructor(
    readonly plan: HistoryPlan,
    recording: boolean,
    private readonly ignores: (rule: string) => boolean,
    /** The database of this history; null for memory. */
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
      plan.twin ? 2 : 1,
    );
    this.store = new MemoryStore(() => this.scheduler.now);
    const chance = this.chanceOf('platform clock');
    const off = (plan.features['platform clock off'] ?? 0) > 0;
    this.platformOffsetMs = off ? chance.pick([-DAY_MS, DAY_MS, 90_000, -7_000]) : 0;
    this.pauses = new Pauses(this);
    backend?.begin(this);
    const plans = [plan, ...(plan.twin ? [plan.twin] : [])];
    this.worlds = plans.map((each, n) => new Simulation(each, this, ACCOUNTS[n] as Account));
  }

  /** The world of the account that every history has. Its plan decides what happens to the store and the processes. */
  get main(): Simulation {
    return this.worlds[0] as Simulation;
  }

  /** True when this history has two accounts. */
  get isDouble(): boolean {
    return this.worlds.length > 1;
  }

  /** @throws Error when the history has no such account */
  worldOf(account: string): Simulation {
    const world = this.worlds.find((each) => each.account === account);
    if (!world) throw new Error(`the history has no account "${account}"`);
    return world;
  }

  /** Returns random numbers for one decision about the processes, by its name. */
  chanceOf(name: string): Chance {
    return new Chance(hashOf(name, this.plan.seed));
  }

  /** True when a claim on a queue would find due work of any account now. */
  hasDueWork(queue: Queue | null): boolean {
    const { now } = this.scheduler;
    return this.backend ? this.backend.hasDueWork(queue, now) : hasDueWork(this.store, queue, now);
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

  /** The simulation calls this when a process calls the store, in a history with two accounts. */
  called(method: string, args: readonly unknown[]): void {
    const account = accountIn(args);
    for (const world of this.worlds)
      if (world.account === account) world.crossTalk.called(method, args);
  }

  /** The simulation calls this when a store call took effect. The observer of each account sees the changes of its account. */
  async stored(
    replica: SimulatedReplica,
    method: string,
    args: readonly unknown[],
    result: unknown,
  ): Promise<void> {
    this.pauses.stored(method, args, result);
    this.permissions.stored(replica.name, method, args);
    for (const world of this.worlds)
      await world.observer.stored(replica.of(world.account), method, args, result);
  }

  living(): SimulatedReplica[] {
    return this.replicas.filter((replica): replica is SimulatedReplica => replica?.alive === true);
  }

  /** Starts a process in a slot, unless one runs there. */
  start(slot: number): void {
    if (this.replicas[slot]?.alive || (this.quietSweepMs !== null && slot > 0 && !this.plan.month))
      return;
    const generation = (this.starts[slot] = (this.starts[slot] ?? 0) + 1);
    const skew = this.chanceOf(`skew ${slot}`);
    const days = skew.happens(0.1) ? skew.pick([-DAY_MS, DAY_MS]) : 0;
    const isSkewed = (this.plan.features['clock skew'] ?? 0) > 0;
    const skewMs = isSkewed ? skew.pick([0, 400, -3_000, 20_000]) + days : 0;
    const name = `r${slot}.${generation}`;
    const quiet = this.quietSweepMs === null ? {} : { sweepEveryMs: this.quietSweepMs };
    const settings = new Map(
      this.worlds.map((world) => [world.account, { ...world.settings, ...quiet }]),
    );
    const replica = new this.Replica(this, slot, name, settings, skewMs);
    this.replicas[slot] = replica;
    this.scheduler.park(replica, `${name} starts`, () => {
      replica.start().then(
        () => {
          this.failedStarts[slot] = 0;
          replica.ready = true;
          for (const world of this.worlds) world.ready(replica.of(world.account));
        },
        (error: unknown) => {
          // A supervisor starts it again, with exponential backoff.
          this.scheduler.note(`${name} could not start: ${String(error)}`);
          const failures = (this.failedStarts[slot] = (this.failedStarts[slot] ?? 0) + 1);
          if (failures > MOST_FAILED_STARTS)
            this.violate(
              'a process starts',
              `${name} could not start, like those before it for five hours: ${String(error)}`,
            );
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
    if (this.isDouble && this.worlds.every((world) => world.isWorkingIn(replica)))
      this.reached('crash while both accounts work');
    this.backend?.lost(replica);
    replica.died();
    for (const world of this.worlds) world.checker.died();
    // Other processes find the work that it would have claimed.
    this.scheduler.changed();
    for (const world of this.worlds) world.hosts.lost(replica.of(world.account));
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

  /** Faults stop. Reads and decisions of people go on. */
  stopFaults(): void {
    this.faultsStopped = true;
    this.storeAwayUntil = 0;
    for (const world of this.worlds) {
      world.platformAwayUntil = 0;
      world.hosts.endTransactions();
      world.hosts.pauses.end();
    }
    this.scheduler.note('FAULTS STOP');
    this.scheduler.changed();
  }

  /**
   * Restarts with rarer sweeps, because days without faults need no sweep every quarter of an hour. Processes other than the first
   * start again only if a month follows.
   */
  continueQuietly(sweepEveryMs: number): void {
    this.quietSweepMs = sweepEveryMs;
    for (const replica of this.living()) this.crash(replica, 1_000);
  }
}
