import { runContainerHistory } from './container.history.js';
import { historyOf } from './twin.plan.js';
import { describePlan, relevantSteps, summary } from './simulation.report.js';
import { count, emptyResult, type PartOptions } from './simulation.part.js';

/** Runs histories in which each process is a Nest application. True when no rule was broken. */
export async function runInContainer(
  { seed, known, only, first, accounts }: PartOptions,
  histories: number,
): Promise<boolean> {
  const began = performance.now();
  const result = emptyResult();
  const ignored = new Set(known);
  for (let n = 0; n < histories; n += 1) {
    // The month without faults has no deliveries.
    const plan = { ...historyOf(seed + n, accounts), month: false };
    const options = { ignored, ...(only !== undefined && { only }) };
    const history = await runContainerHistory(plan, options);
    count(result, history);
    const { violation } = history;
    if (!violation) continue;
    result.failures.push({ seed: seed + n, ...violation });
    console.log(`seed ${seed + n} breaks "${violation.rule}": ${violation.what}`);
    const { trace } = await runContainerHistory(plan, { ...options, recording: true });
    for (const line of [...describePlan(plan), ...relevantSteps(trace ?? [])]) console.log(line);
    if (first) break;
  }
  result.ms = performance.now() - began;
  console.log(summary(result));
  if (result.failures.length === 0) console.log('every rule held');
  return result.failures.length === 0;
}
