import { EndChecker, SELF_SETTLING } from './end.checker.js';
import type { HistoryPlan } from './history.plan.js';
import type { SimulatedReplica } from './simulated.replica.js';
import { World, type Violation } from './simulated.world.js';
import type { StoreBackend } from './store.backend.js';
import { BEGINNING, type Life } from './virtual.scheduler.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Operations after this are decisions of people, who come also when all is quiet. */
const FAULTS_END_AFTER_MS = 10 * MINUTE;

/** Late callbacks, reversals, webhooks and retries of this model are over by then, and so is every read on schedule. */
const QUIET_MS = 60 * HOUR;

/** What settles by itself is looked at for 30 days. */
const LONGEST_QUIET_MS = 32 * DAY;

export interface HistoryResult {
  violation: Violation | null;
  situations: ReadonlySet<string>;
  faults: ReadonlySet<string>;
  steps: number;
  hash: number;
  trace: readonly string[] | null;
  /** Rules that were broken and did not count. */
  ignoredRules: ReadonlySet<string>;
}

export interface RunOptions {
  /** Rules that are known to be broken: the history goes on. */
  ignored?: ReadonlySet<string>;
  /** The rules that count, if not all do. */
  only?: readonly string[];
  /** Keeps the steps in words. */
  recording?: boolean;
}

/** Runs one history from its plan to its end, without the event loop. */
export function runHistory(plan: HistoryPlan, options: RunOptions = {}): HistoryResult {
  const world = worldOf(plan, options);
  const restore = takeGlobals(world);
  try {
    for (const end of life(world)) world.scheduler.runUntil(end);
  } finally {
    restore();
  }
  return resultOf(world);
}

/** The world of one history, in which only the rules that these options leave can be broken. */
export function worldOf(
  plan: HistoryPlan,
  { ignored, only, recording = false }: RunOptions,
  backend?: StoreBackend,
  Replica?: typeof SimulatedReplica,
): World {
  const ignores = (rule: string): boolean =>
    (only !== undefined && !only.includes(rule)) || ignored?.has(rule) === true;
  return new World(plan, recording, ignores, backend, Replica);
}

export function resultOf(world: World): HistoryResult {
  return {
    violation: world.violation,
    situations: world.situations,
    faults: world.faults,
    steps: world.scheduler.steps,
    hash: world.scheduler.traceHash,
    trace: world.scheduler.trace,
    ignoredRules: world.ignoredRules,
  };
}

/** The times up to which a history runs, one after the other; what happens between them is done by whoever runs it. */
export function* life(world: World): Generator<number, void> {
  const { scheduler, plan } = world;
  for (let slot = 0; slot < plan.replicas; slot += 1) world.start(slot);
  world.hosts.begin();
  const last = plan.operations
    .filter(({ kind }) => kind !== 'resolve' && kind !== 'read')
    .reduce((end, { at }) => Math.max(end, at), 0);
  yield BEGINNING + last + FAULTS_END_AFTER_MS;
  world.quiet = true;
  world.storeAwayUntil = 0;
  world.platformAwayUntil = 0;
  world.hosts.endTransactions();
  scheduler.note('QUIET: faults stop');
  scheduler.changed();
  yield scheduler.now + HOUR;
  world.rest(DAY);
  yield Math.max(scheduler.now, world.listsAwayUntil) + QUIET_MS;
  const end = new EndChecker(world);
  if (scheduler.stopped) return;
  end.settled();
  if (plan.month && mayStillSettle(world)) {
    world.rest(DAY);
    yield scheduler.now + LONGEST_QUIET_MS - QUIET_MS;
    world.met('a month of quiet');
  }
  if (!scheduler.stopped) end.check();
}

/** Whether some payment waits for evidence that may still come by itself. */
function mayStillSettle(world: World): boolean {
  for (const { record } of world.observer.payments.values()) {
    if (record?.state === 'needs_review' && SELF_SETTLING.has(record.cause ?? '')) return true;
  }
  return false;
}

type Handle = { ref: () => Handle; unref: () => Handle; hasRef: () => boolean; cancel: () => void };

/** While a history runs, a rejection that nobody handles breaks a rule, and the global timers are virtual. */
export function takeGlobals(world: World, isVirtual?: () => boolean): () => void {
  const restore = virtualGlobals(world, isVirtual);
  const unhandled = (error: unknown): void => {
    world.violate('unhandled rejection', String(error instanceof Error ? error.stack : error));
  };
  process.on('unhandledRejection', unhandled);
  return () => {
    process.off('unhandledRejection', unhandled);
    restore();
  };
}

/**
 * Timers that some library sets by the global functions are virtual as well, and belong to the process whose code runs at
 * that moment.
 */
function virtualGlobals(world: World, isVirtual: () => boolean = () => true): () => void {
  const { scheduler } = world;
  const before = {
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
    clearTimeout: globalThis.clearTimeout,
    clearInterval: globalThis.clearInterval,
  };
  const handle = (life: Life | null, ms: number, call: () => void, repeats: boolean): Handle => {
    let timer = scheduler.after(ms, life, `${life?.name ?? 'world'} global timer`, run);
    function run(): void {
      if (repeats) timer = scheduler.after(ms, life, `${life?.name ?? 'world'} global timer`, run);
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
