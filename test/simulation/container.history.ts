import { ContainerReplica, workWith, type ApplicationWork } from './container.replica.js';
import type { HistoryPlan } from './history.plan.js';
import {
  life,
  resultOf,
  takeGlobals,
  worldOf,
  type HistoryResult,
  type RunOptions,
} from './history.run.js';
import { RealWork } from './real.work.js';

/** Between a delivery's bytes and its place in the store are a socket, a guard and a controller, and nothing that waits. */
const PATIENCE_MS = 2;

/** Runs one history whose processes are applications, from its plan to its end. */
export async function runContainerHistory(
  plan: HistoryPlan,
  options: RunOptions = {},
): Promise<HistoryResult> {
  const world = worldOf(plan, options, undefined, ContainerReplica);
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
  const restore = takeGlobals(world, () => work.isVirtual);
  try {
    await work.drive(life(world));
  } finally {
    restore();
    for (const replica of world.living()) replica.died();
  }
  return resultOf(world);
}
