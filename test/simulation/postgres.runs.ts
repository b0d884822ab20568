import { writeFileSync } from 'node:fs';
import type { HistoryPlan } from './history.plan.js';
import { historyOf } from './twin.plan.js';
import { runPostgresHistory } from './postgres.history.js';
import { SimulatedServer } from './postgres.server.js';
import { count, emptyResult, type PartOptions, type PartResult } from './simulation.part.js';
import { describePlan, failureTable, relevantSteps, summary } from './simulation.report.js';

/** A long run prints its progress after this many histories. */
const PROGRESS_EVERY = 100;

/** Runs histories on a real PostgreSQL. True when no rule was broken. */
export async function runOnPostgres(
  options: PartOptions,
  { replay, whole, json }: { replay?: string; whole?: boolean; json?: string },
): Promise<boolean> {
  const server = await SimulatedServer.start();
  try {
    console.log(`PostgreSQL ${await server.version()}, Node ${process.version}`);
    if (replay !== undefined)
      return await replaySeed(Number(replay), options, server, whole === true);
    const result = await run(options, server);
    process.send?.(result);
    console.log(summary(result));
    if (json) writeFileSync(json, JSON.stringify({ ...options, ...result }, null, 1));
    if (result.failures.length === 0) console.log('every rule held');
    else console.log(`${result.failures.length} histories broke a rule:\n${failureTable(result)}`);
    return result.failures.length === 0;
  } finally {
    await server.stop();
  }
}

async function run(
  { seed, histories, known, only, first, accounts }: PartOptions,
  server: SimulatedServer,
): Promise<PartResult> {
  const began = performance.now();
  const result = emptyResult();
  const ignored = new Set(known);
  for (let n = 0; n < histories; n += 1) {
    const history = await runPostgresHistory(shortened(historyOf(seed + n, accounts)), server, {
      ignored,
      ...(only !== undefined && { only }),
    }).catch((error: unknown) => {
      console.log(`seed ${seed + n} could not run: ${(error as Error).stack ?? String(error)}`);
      return null;
    });
    if (history === null) {
      result.failures.push({ seed: seed + n, rule: 'the harness', what: 'it failed' });
      continue;
    }
    count(result, history);
    result.ms = performance.now() - began;
    const { violation } = history;
    if (violation) {
      result.failures.push({ seed: seed + n, ...violation });
      console.log(`seed ${seed + n} breaks "${violation.rule}": ${violation.what}`);
      if (first) break;
    }
    if (result.histories % PROGRESS_EVERY === 0)
      console.log(`${result.histories} histories in ${Math.round(result.ms / 1000)} s`);
  }
  return result;
}

/** A month without faults costs as much time as ten histories, so one plan in ten keeps it. */
function shortened(plan: HistoryPlan): HistoryPlan {
  return { ...plan, month: plan.month && plan.seed % 10 === 0 };
}

/** Prints the steps of one history. It is not shrunk, because a real database may take other steps each time. */
async function replaySeed(
  seed: number,
  { known, accounts }: PartOptions,
  server: SimulatedServer,
  whole: boolean,
): Promise<boolean> {
  const plan = shortened(historyOf(seed, accounts));
  const options = { ignored: new Set(known), recording: true };
  const { violation, trace } = await runPostgresHistory(plan, server, options);
  for (const line of describePlan(plan)) console.log(line);
  for (const line of whole ? (trace ?? []) : relevantSteps(trace ?? [])) console.log(line);
  console.log(
    violation
      ? `seed ${seed} breaks "${violation.rule}": ${violation.what}`
      : `seed ${seed} breaks no rule`,
  );
  return violation === null;
}
