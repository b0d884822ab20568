import { checkStoredRows } from './cross-talk.checker.js';
import { EndChecker, SELF_SETTLING } from './end.checker.js';
import { checkTotals } from './totals.checker.js';
import type { HistoryPlan } from './history.plan.js';
import type { SimulatedReplica } from './simulated.replica.js';
import { Processes, type Violation } from './history.processes.js';
import type { Simulation } from './history.simulation.js';
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
  const processes = processesOf(plan, options);
  const restore = replaceGlobals(processes);
  try {
    for (const end of phasesOf(processes)) processes.scheduler.runUntil(end);
  } finally {
    restore();
  }
  return resultOf(processes);
}

/** Makes the processes of one history, and a world for each of its accounts. */
export function processesOf(
  plan: HistoryPlan,
  { ignored, only, recording = false }: RunOptions,
  backend?: StoreBackend,
  Replica?: typeof SimulatedReplica,
): Processes {
  const ignores = (rule: string): boolean =>
    (only !== undefined && !only.includes(rule)) || ignored?.has(rule) === true;
  return new Processes(plan, recording, ignores, backend, Replica);
}

export function resultOf(processes: Processes): HistoryResult {
  const { violation, situations, faults, scheduler, ignoredRules } = processes;
  return {
    violation,
    situations,
    faults,
    steps: scheduler.steps,
    hash: scheduler.traceHash,
    trace: scheduler.trace,
    ignoredRules,
  };
}

/** Returns the phases of a history: yields the time up to which the caller runs the scheduler. */
export function* phasesOf(processes: Processes): Generator<number, void> {
  const { scheduler, plan, worlds } = processes;
  for (let slot = 0; slot < plan.replicas; slot += 1) processes.start(slot);
  for (const world of worlds) world.hosts.begin();
  const operations = worlds.flatMap((world) => world.plan.operations);
  const last = operations
    .filter(({ kind }) => kind !== 'resolve' && kind !== 'read' && kind !== 'settle')
    .reduce((end, { at }) => Math.max(end, at), 0);
  yield BEGINNING + last + FAULTS_END_AFTER_MS;
  processes.stopFaults();
  yield scheduler.now + HOUR;
  processes.continueQuietly(DAY);
  yield Math.max(scheduler.now, ...worlds.map((world) => world.listsAwayUntil)) + SETTLING_MS;
  const ends = worlds.map((world) => new EndChecker(world));
  if (scheduler.stopped) return;
  // A link can be paid for a week, and is read for a day after that.
  const hasLinks = operations.some(({ kind }) => kind === 'link');
  const isLate =
    ends.some((end) => !end.isSettled()) ||
    worlds.some((world) => world.hasMoneySince(scheduler.now - LISTED_BY_MS));
  if (hasLinks && isLate) {
    yield scheduler.now + LINKS_SETTLING_MS;
    if (scheduler.stopped) return;
  }
  for (const end of ends) end.settled();
  if (plan.month && worlds.some(mayStillSettle)) {
    processes.continueQuietly(DAY);
    yield scheduler.now + LONGEST_SETTLING_MS - SETTLING_MS;
    processes.reached('a month without faults');
  }
  if (scheduler.stopped) return;
  for (const end of ends) end.check();
  if (processes.isDouble && !processes.backend) checkStoredRows(processes);
  if (!processes.backend) checkTotals(processes);
}

/** True when a payment in review may still settle without a person. */
function mayStillSettle({ observer }: Simulation): boolean {
  for (const { record } of observer.payments.values()) {
    if (record?.state === 'needs_review' && SELF_SETTLING.has(record.cause ?? '')) return true;
  }
  return false;
}

type Handle = { ref: () => Handle; unref: () => Handle; hasRef: () => boolean; cancel: () => void };

/** Makes the global timers virtual, and an unhandled rejection a broken rule, until the returned function is called. */
export function replaceGlobals(processes: Processes, isVirtual?: () => boolean): () => void {
  const restore = virtualGlobals(processes, isVirtual);
  const unhandled = (error: unknown): void => {
    processes.violate('unhandled rejection', String(error instanceof Error ? error.stack : error));
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
function virtualGlobals(processes: Processes, isVirtual: () => boolean = () => true): () => void {
  const { scheduler } = processes;
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
