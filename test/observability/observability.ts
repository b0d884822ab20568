/**
 * Shows that the files for operators are right: a real Prometheus scrapes a real application, whose platform, store, listeners and callers
 * have every fault in turn. Each query of the dashboard must return data, and each alert rule must fire.
 * The rules are a copy with shorter times (see `hurried`). Usage: npm run test:observability
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObservedApplication, type Trouble } from './observed.application.js';
import { PrometheusServer } from './prometheus.server.js';
import {
  asSent,
  hurried,
  panelQueries,
  panelsWithoutQuery,
  ruleNames,
  RULES_FILE,
  RULES_TEST_FILE,
  rulesText,
} from './shipped.files.js';

/** A trouble is over when nothing new was seen for so long, at so many looks: on a busy machine a look takes longer. The run is over when all was seen. */
const QUIET_MS = 25_000;
const QUIET_LOOKS = 40;

const TROUBLES: readonly Trouble[] = ['none', 'paused', 'platform', 'callbacks', 'store', 'log'];

const rules = rulesText();
const waitingRules = new Set(ruleNames(rules));
const waitingPanels = new Map(panelQueries().map((query) => [query.expression, query.panel]));
let passed = 0;
let failed = 0;

function pass(line: string): void {
  passed += 1;
  process.stdout.write(`ok      ${line}\n`);
}

function fail(line: string): void {
  failed += 1;
  process.stdout.write(`FAILED  ${line}\n`);
}

/** Notes which panels have data and which rules fire now. Returns true when any of them is new. */
async function look(prometheus: PrometheusServer, trouble: Trouble): Promise<boolean> {
  const before = waitingRules.size + waitingPanels.size;
  for (const [expression, panel] of waitingPanels) {
    const series = await prometheus.query(asSent(expression));
    if (!series.some(({ value }) => Number.isFinite(value))) continue;
    waitingPanels.delete(expression);
    pass(`panel "${panel}" has data: ${expression.slice(0, 60)}...`);
  }
  for (const rule of await prometheus.firing()) {
    if (waitingRules.delete(rule)) pass(`rule ${rule} fires (trouble: ${trouble})`);
  }
  return waitingRules.size + waitingPanels.size < before;
}

async function endure(
  trouble: Trouble,
  application: ObservedApplication,
  prometheus: PrometheusServer,
): Promise<void> {
  await application.begin(trouble);
  let seenAt = performance.now();
  let looks = 0;
  const isQuiet = (): boolean => performance.now() - seenAt > QUIET_MS && looks > QUIET_LOOKS;
  while (!isQuiet() && waitingRules.size + waitingPanels.size > 0) {
    await application.work();
    await sleep(400);
    looks += 1;
    if (!(await look(prometheus, trouble))) continue;
    seenAt = performance.now();
    looks = 0;
  }
}

process.stdout.write(
  'Rules: a copy, in which each "for" is 1 s, each window 15 s and each limit of an age 1 s.\n',
);
const checked = spawnSync('promtool', ['check', 'rules', RULES_FILE], { encoding: 'utf8' });
if (checked.status === 0) pass('promtool check rules');
else
  fail(`promtool check rules: ${checked.stdout ?? ''}${checked.stderr ?? checked.error?.message}`);
const tested = spawnSync('promtool', ['test', 'rules', RULES_TEST_FILE], { encoding: 'utf8' });
if (tested.status === 0) pass('promtool test rules: silent when all is well');
else fail(`promtool test rules: ${tested.stdout ?? ''}${tested.stderr ?? tested.error?.message}`);
const application = await ObservedApplication.start();
try {
  const prometheus = await PrometheusServer.start(hurried(rules), application.target);
  try {
    for (const trouble of TROUBLES) await endure(trouble, application, prometheus);
  } finally {
    await prometheus.stop();
  }
} finally {
  await application.stop();
}
for (const title of panelsWithoutQuery()) fail(`panel "${title}" has no query`);
for (const [expression, panel] of waitingPanels)
  fail(`panel "${panel}" has no data: ${expression}`);
for (const rule of waitingRules) fail(`rule ${rule} does not fire`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
