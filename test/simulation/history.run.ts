import { EndChecker, SELF_SETTLING } from './end.checker.js';
import type { HistoryPlan } from './history.plan.js';
import type { SimulatedReplica } from './simulated.replica.js';
import { Simulation, type Violation } from './history.simulation.js';
import type { StoreBackend } from './store.backend.js';
import { BEGINNING, type StepOwner } from './virtual.scheduler.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Faults stop this long after the last operation. Reads and decisions of people go on. */
const FAULTS_END_AFTER_MS = 10 * MINUTE;

/** By then all late callbacks, reversals, webhooks, retries and scheduled reads are over. */
const SETTLING_MS = 60 * HOUR;

/** By then every transaction was listed, although one process sweeps once a day. */
const LISTED_BY_MS = 30 * HOUR;

/** By then every link has expired, and people have looked at those without an outcome. */
const LINKS_SETTLING_MS = 8 * DAY;

/** A review that can settle by itself is read for 30 days. */
const LONGEST_SETTLING_MS = 32 * DAY;

export interface HistoryResult {
  violation: Violation | null;
  situations: ReadonlySet<string>;
  faults: ReadonlySet<string>;
  steps: number;
  hash: number;
  trace: readonly string[] | null;
  /** Rules that were broken and are ignored. */
  ignoredRules: ReadonlySet<string>;
}

export interface RunOptions {
  /** Rules that are known to be broken: a violation does not end the history. */
  ignored?: ReadonlySet<string>;
  /** Only violations of these rules count; default: of all rules. */
  only?: readonly string[];
  /** Records a line of text for each step. */
  recording?: boolean;
}

/** Runs one history synchronously, without the event loop. */
export function runHistory(plan: HistoryPlan, options: RunOptions = {}): HistoryResult {
  const simulation = simulationOf(plan, options);
  const restore = replaceGlobals(simulation);
  try {
    for (const end of phasesOf(simulation)) simulation.scheduler.runUntil(end);
  } finally {
    restore();
  }
  return resultOf(simulation);
}

/** Makes the simulation of one history. */
export function simulationOf(
  plan: HistoryPlan,
  { ignored, only, recording = false }: RunOptions,
  backend?: StoreBackend,
  Replica?: typeof SimulatedReplica,
): Simulation {
  const ignores = (rule: string): boolean =>
    (only !== undefined && !only.includes(rule)) || ignored?.has(rule) === true;
  return new Simulation(plan, recording, ignores, backend, Replica);
}

export function resultOf(simulation: Simulation): HistoryResult {
  return {
    violation: simulation.violation,
    situations: simulation.situations,
    faults: simulation.faults,
    steps: simulation.scheduler.steps,
    hash: simulation.scheduler.traceHash,
    trace: simulation.scheduler.trace,
    ignoredRules: simulation.ignoredRules,
  };
}

/** The phases of a history: yields the time up to which the caller runs the scheduler. */
export function* phasesOf(simulation: Simulation): Generator<number, void> {
  const { scheduler, plan } = simulation;
  for (let slot = 0; slot < plan.replicas; slot += 1) simulation.start(slot);
  simulation.hosts.begin();
  const last = plan.operations
    .filter(({ kind }) => kind !== 'resolve' && kind !== 'read' && kind !== 'settle')
    .reduce((end, { at }) => Math.max(end, at), 0);
  yield BEGINNING + last + FAULTS_END_AFTER_MS;
  simulation.faultsStopped = true;
  simulation.storeAwayUntil = 0;
  simulation.platformAwayUntil = 0;
  simulation.hosts.endTransactions();
  scheduler.note('FAULTS STOP');
  scheduler.changed();
  yield scheduler.now + HOUR;
  simulation.continueQuietly(DAY);
  yield Math.max(scheduler.now, simulation.listsAwayUntil) + SETTLING_MS;
  const end = new EndChecker(simulation);
  if (scheduler.stopped) return;
  // A link can be paid for a week, and is read for a day after that.
  const hasLinks = plan.operations.some(({ kind }) => kind === 'link');
  const isLate = !end.isSettled() || simulation.hasMoneySince(scheduler.now - LISTED_BY_MS);
  if (hasLinks && isLate) {
    yield scheduler.now + LINKS_SETTLING_MS;
    if (scheduler.stopped) return;
  }
  end.settled();
  if (plan.month && mayStillSettle(simulation)) {
    simulation.continueQuietly(DAY);
    yield scheduler.now + LONGEST_SETTLING_MS - SETTLING_MS;
    simulation.reached('a month without faults');
  }
  if (!scheduler.stopped) end.check();
}

/** Whether a payment in review may still settle without a person. */
function mayStillSettle(simulation: Simulation): boolean {
  for (const { record } of simulation.observer.payments.values()) {
    if (record?.state === 'needs_review' && SELF_SETTLING.has(record.cause ?? '')) return true;
  }
  return false;
}

type Handle = { ref: () => Handle; unref: () => Handle; hasRef: () => boolean; cancel: () => void };

/** Makes the global timers virtual, and an unhandled rejection a broken rule, until the returned function is called. */
export function replaceGlobals(simulation: Simulation, isVirtual?: () => boolean): () => void {
  const restore = virtualGlobals(simulation, isVirtual);
  const unhandled = (error: unknown): void => {
    simulation.violate('unhandled rejection', String(error instanceof Error ? error.stack : error));
  };
  process.on('unhandledRejection', unhandled);
  return () => {
    process.off('unhandledRejection', unhandled);
    restore();
  };
}

/**
 * Makes timers virtual that a library sets with the global functions. They belong to the process whose code runs at that
 * moment.
 */
function virtualGlobals(simulation: Simulation, isVirtual: () => boolean = () => true): () => void {
  const { scheduler } = simulation;
  const before = {
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
    clearTimeout: globalThis.clearTimeout,
    clearInterval: globalThis.clearInterval,
  };
  const handle = (
    owner: StepOwner | null,
    ms: number,
    call: () => void,
    repeats: boolean,
  ): Handle => {
    let timer = scheduler.after(ms, owner, `${owner?.name ?? 'simulation'} global timer`, run);
    function run(): void {
      if (repeats)
        timer = scheduler.after(ms, owner, `${owner?.name ?? 'simulation'} global timer`, run);
      call();
    }
    const made: Handle = {
      ref: () => made,
      unref: () => made,
      hasRef: () => true,
      cancel: () => timer.cancel(),
    };
    return made;
  };
  const set =
    (repeats: boolean) =>
    (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): Handle | NodeJS.Timeout =>
      !isVirtual()
        ? (repeats ? before.setInterval : before.setTimeout)(call, ms, ...args)
        : handle(scheduler.current, Math.max(1, ms), () => call(...args), repeats);
  const clear = (made: Handle | NodeJS.Timeout | undefined): void => {
    if (made && 'cancel' in made) made.cancel();
    else before.clearTimeout(made);
  };
  Object.assign(globalThis, {
    setTimeout: set(false),
    setInterval: set(true),
    clearTimeout: clear,
    clearInterval: clear,
  });
  return () => {
    Object.assign(globalThis, before);
  };
}
