import type { HistoryPlan } from './history.plan.js';
import { historyOf, type Accounts } from './twin.plan.js';
import { runHistory } from './history.run.js';
import { HistoryShrinker } from './history.shrinker.js';
import type { PartResult } from './simulation.part.js';
import { SITUATIONS } from './situation.catalogue.js';

/** Maximum lines of a trace. */
const MAX_LINES = 400;

/** Shrinks a failing history and describes it: its plan, its steps, and the command that repeats it. */
export function describeFailure(
  seed: number,
  ignored: ReadonlySet<string>,
  whole: boolean,
  accounts: Accounts,
): string {
  const plan = historyOf(seed, accounts);
  const first = runHistory(plan, { ignored });
  if (!first.violation) return `seed ${seed} breaks no rule`;
  const { rule } = first.violation;
  const small = whole
    ? plan
    : new HistoryShrinker(plan, rule, (one) => runHistory(one, { ignored })).shrink();
  const { violation, trace } = runHistory(small, { ignored, recording: true });
  return [
    `seed ${seed} breaks "${rule}": ${violation?.what}`,
    ...describePlan(small),
    ...relevantSteps(trace ?? []),
    `to repeat it: npm run test:simulation -- --replay ${seed}${accountsFlag(accounts)}${knownFlags(ignored)}${whole ? ' --whole' : ''}`,
  ].join('\n');
}

export function summary(result: PartResult): string {
  const perSecond = result.histories / (result.ms / 1000);
  const lines = [
    `${result.histories} histories, ${Math.round(result.steps / result.histories)} steps each, ${perSecond.toFixed(0)} a second`,
  ];
  for (const name of new Set([...SITUATIONS, ...Object.keys(result.situations).sort()])) {
    lines.push(`  ${String(result.situations[name] ?? 0).padStart(8)}  ${name}`);
  }
  for (const [rule, count] of Object.entries(result.known)) {
    lines.push(`known: "${rule}" broken in ${count} histories`);
  }
  return lines.join('\n');
}

/** Returns the number of violations of each rule, with the first seeds. */
export function failureTable(result: PartResult): string {
  const seeds = new Map<string, number[]>();
  for (const { rule, seed } of result.failures) seeds.set(rule, [...(seeds.get(rule) ?? []), seed]);
  return [...seeds]
    .map(
      ([rule, all]) =>
        `  ${String(all.length).padStart(6)}  ${rule}: seeds ${all.slice(0, 6).join(', ')}`,
    )
    .join('\n');
}

export function describePlan(plan: HistoryPlan): string[] {
  const { replicas, settings, features, operations, twin } = plan;
  return [
    `${replicas} replicas; ${Object.entries(settings)
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .join(', ')}`,
    `on: ${
      Object.entries(features)
        .map(([name, rate]) => `${name} ${rate}`)
        .join(', ') || 'nothing'
    }`,
    ...operations.map(({ at, ...operation }) => `plan at ${at} ms: ${JSON.stringify(operation)}`),
    ...(twin ? describePlan(twin).map((line) => `twin: ${line}`) : []),
  ];
}

/** Polls without work, and the steps of every start. */
const ROUTINE_STEPS =
  / (poll|gather|renew|global timer|r\S+ timer|store\.(init|tokens\.(read|claimRenewal|save)|events\.(registerListeners|claimCalls)|deliveries\.claim|operations\.claimDue))$/;

/** Steps of regular sweeps. */
const ROUTINE_SWEEPS = /polling|\/oauth\/token|Sweep|sweepProgress/;

/** Returns the steps that help to understand a failure: without routine steps, and not too many. */
export function relevantSteps(trace: readonly string[]): string[] {
  const faultsStoppedAt = trace.findIndex((line) => line.includes('FAULTS STOP'));
  const lines = trace.filter(
    (line, n) =>
      !ROUTINE_STEPS.test(line) &&
      !(faultsStoppedAt >= 0 && n > faultsStoppedAt && ROUTINE_SWEEPS.test(line)),
  );
  if (lines.length <= MAX_LINES) return lines;
  const half = MAX_LINES / 2;
  return [
    ...lines.slice(0, half),
    `... ${lines.length - MAX_LINES} steps ...`,
    ...lines.slice(-half),
  ];
}

function accountsFlag(accounts: Accounts): string {
  return accounts === 'two' ? ' --two-accounts' : '';
}

function knownFlags(ignored: ReadonlySet<string>): string {
  return [...ignored].map((rule) => ` --known '${rule}'`).join('');
}
