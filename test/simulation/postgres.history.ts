import type { HistoryPlan } from './history.plan.js';
import {
  life,
  resultOf,
  takeGlobals,
  worldOf,
  type HistoryResult,
  type RunOptions,
} from './history.run.js';
import { PostgresBackend } from './postgres.backend.js';
import type { SimulatedServer } from './postgres.server.js';

/** Runs one history on a real database, from its plan to its end. */
export async function runPostgresHistory(
  plan: HistoryPlan,
  server: SimulatedServer,
  options: RunOptions = {},
): Promise<HistoryResult> {
  await server.reset();
  const backend = new PostgresBackend(server);
  const world = worldOf(plan, options, backend);
  const { work } = backend;
  const restore = takeGlobals(world, () => work.isVirtual);
  try {
    await work.drive(life(world));
  } finally {
    restore();
    backend.close();
  }
  return resultOf(world);
}
