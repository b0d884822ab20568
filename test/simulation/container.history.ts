import { ContainerReplica, workWith, type ApplicationWork } from './container.replica.js';
import type { HistoryPlan } from './history.plan.js';
import {
  phasesOf,
  processesOf,
  resultOf,
  replaceGlobals,
  type HistoryResult,
  type RunOptions,
} from './history.run.js';
import { RealWork } from './real.work.js';

/** Real time for a delivery to pass socket, guard and controller. None of them waits for virtual time. */
const POLL_MS = 2;

/** Runs one history in which each process is a Nest application. */
export async function runContainerHistory(
  plan: HistoryPlan,
  options: RunOptions = {},
): Promise<HistoryResult> {
  const processes = processesOf(plan, options, undefined, ContainerReplica);
  const inside = new Set<object>();
  const work = new RealWork(
    processes.scheduler,
    { setClock: () => undefined, waiting: () => Promise.resolve(inside.size) },
    () => false,
    () => undefined,
    POLL_MS,
  );
  const real: ApplicationWork = { work, inside, applications: new Set() };
  workWith(processes, real);
  const restore = replaceGlobals(processes, () => work.isVirtual);
  try {
    await work.drive(phasesOf(processes));
  } finally {
    restore();
    for (const replica of processes.living()) replica.died();
  }
  return resultOf(processes);
}
