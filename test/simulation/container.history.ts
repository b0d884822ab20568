import { ContainerReplica, workWith, type ApplicationWork } from './container.replica.js';
import type { HistoryPlan } from './history.plan.js';
import { life, virtualGlobals, type HistoryResult, type RunOptions } from './history.run.js';
import { RealWork } from './real.work.js';
import { World } from './simulated.world.js';

/** Between a delivery's bytes and its place in the store are a socket, a guard and a controller, and nothing that waits. */
const PATIENCE_MS = 2;

/** Runs one history whose processes are applications, from its plan to its end. */
export async function runContainerHistory(
  plan: HistoryPlan,
  { ignored, only, recording = false }: RunOptions = {},
): Promise<HistoryResult> {
  const world = new World(
    plan,
    recording,
    (rule) => (only !== undefined && !only.includes(rule)) || ignored?.has(rule) === true,
    null,
    ContainerReplica,
  );
  const inside = new Set<object>();
  const work = new RealWork(
    world.scheduler,
    { setClock: () => undefined, waiting: () => Promise.resolve(inside.size) },
    () => false,
    () => undefined,
    PATIENCE_MS,
  );
  const real: ApplicationWork = { work, inside, applications: new Set() };
  workWith(world, real);
  const restore = virtualGlobals(world, () => work.isVirtual);
  const unhandled = (error: unknown): void => {
    world.violate('unhandled rejection', String(error instanceof Error ? error.stack : error));
  };
  process.on('unhandledRejection', unhandled);
  try {
    await work.drive(life(world));
  } finally {
    restore();
    process.off('unhandledRejection', unhandled);
    for (const replica of world.living()) replica.died();
  }
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
