import type { HistoryPlan } from './history.plan.js';
import { life, virtualGlobals, type HistoryResult, type RunOptions } from './history.run.js';
import { PostgresBackend } from './postgres.backend.js';
import type { SimulatedServer } from './postgres.server.js';
import { World } from './simulated.world.js';

/** Runs one history on a real database, from its plan to its end. */
export async function runPostgresHistory(
  plan: HistoryPlan,
  server: SimulatedServer,
  { ignored, only, recording = false }: RunOptions = {},
): Promise<HistoryResult> {
  await server.reset();
  const backend = new PostgresBackend(server);
  const world = new World(
    plan,
    recording,
    (rule) => (only !== undefined && !only.includes(rule)) || ignored?.has(rule) === true,
    backend,
  );
  const { work } = backend;
  const restore = virtualGlobals(world, () => work.isVirtual);
  const unhandled = (error: unknown): void => {
    world.violate('unhandled rejection', String(error instanceof Error ? error.stack : error));
  };
  process.on('unhandledRejection', unhandled);
  try {
    await work.drive(life(world));
  } finally {
    restore();
    backend.close();
    process.off('unhandledRejection', unhandled);
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
