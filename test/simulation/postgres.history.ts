import type { HistoryPlan } from './history.plan.js';
import {
  phasesOf,
  processesOf,
  resultOf,
  replaceGlobals,
  type HistoryResult,
  type RunOptions,
} from './history.run.js';
import { PostgresBackend } from './postgres.backend.js';
import type { SimulatedServer } from './postgres.server.js';

/** Runs one history on a real PostgreSQL. */
export async function runPostgresHistory(
  plan: HistoryPlan,
  server: SimulatedServer,
  options: RunOptions = {},
): Promise<HistoryResult> {
  await server.reset();
  const backend = new PostgresBackend(server);
  const processes = processesOf(plan, options, backend);
  const { work } = backend;
  const restore = replaceGlobals(processes, () => work.isVirtual);
  try {
    await work.drive(phasesOf(processes));
    if (processes.isDouble) await backend.snapshots.checkRows();
  } finally {
    restore();
    backend.close();
  }
  return resultOf(processes);
}
