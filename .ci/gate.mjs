/**
 * Runs the stages of a gate side by side, as the cores allow, and ends with one line: N passed, N failed.
 * Usage: node .ci/gate.mjs run | full [part of the name of a stage]...
 *
 * What a stage prints goes to a file, and is shown when the stage has failed. At the end a table has the times; a stage over its budget (budgets.json,
 * in seconds) is named there, and is no failure: machines differ.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { GATES } from './stages.mjs';

const MOST_LINES = 300;
const ENVIRONMENT = {
  ...process.env,
  CI: 'true',
  NO_UPDATE_NOTIFIER: '1',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
};

const [gate, ...parts] = process.argv.slice(2);
const stages = chosen(GATES[gate], parts);
const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8'));
const reports = mkdtempSync(join(tmpdir(), 'tillkit-gate-'));
process.once('exit', () => rmSync(reports, { recursive: true, force: true }));
process.chdir(join(import.meta.dirname, '..'));

const began = performance.now();
/** State, seconds and seconds of CPU of each stage that has ended, by its name. */
const ended = new Map();
let passed = 0;
let failed = 0;
await runAll();
printTimes();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** The stages with these parts in their names, and those that they need; all where none is given. */
function chosen(all, parts) {
  if (parts.length === 0) return all;
  const lost = parts.filter((part) => !all.some(({ name }) => name.includes(part)));
  if (lost.length > 0) {
    console.error(`No stage has ${lost.join(' or ')} in its name. There are:`);
    for (const { name } of all) console.error(`  ${name}`);
    process.exit(2);
  }
  const names = new Set();
  const add = (stage) => {
    names.add(stage.name);
    for (const one of all) if (before(stage).includes(one.name)) add(one);
  };
  for (const stage of all) if (parts.some((part) => stage.name.includes(part))) add(stage);
  return all.filter(({ name }) => names.has(name));
}

async function runAll() {
  const waiting = new Set(stages);
  const running = new Map();
  // One more than there are: a stage waits now and then.
  let free = cpus().length + 1;
  while (waiting.size + running.size > 0) {
    for (const stage of waiting) {
      const missing = whatIsMissing(stage);
      const cores = coresOf(stage);
      if (missing === null && !isReady(stage)) continue;
      if (missing === null && cores > free) {
        // What is ready first begins first. While another wide stage runs, narrow ones use what it leaves.
        if ([...running.keys()].some((other) => coresOf(other) > 1)) continue;
        break;
      }
      waiting.delete(stage);
      if (missing !== null) {
        if (!missing.isOptional) failed += 1;
        end(stage, missing.isOptional ? 'NOT RUN' : 'FAILED', { said: missing.why });
        continue;
      }
      free -= cores;
      const work = run(stage).finally(() => {
        free += cores;
        running.delete(stage);
      });
      running.set(stage, work);
    }
    // A stage that cannot run ends at once: then the next one may.
    if (running.size > 0) await Promise.race(running.values());
  }
}

function coresOf({ cores = 1 }) {
  return Math.min(cores, cpus().length);
}

/** What must have passed before it. */
function before({ after = [] }) {
  return after;
}

function isReady(stage) {
  return before(stage).every((name) => ended.has(name));
}

function whatIsMissing(stage) {
  const lost = before(stage).find((name) => ended.get(name)?.state === 'FAILED');
  if (lost) return { why: `${lost} has failed`, isOptional: false };
  const absent = isReady(stage) ? stage.needs?.find((file) => !existsSync(file)) : undefined;
  return absent ? { why: `${absent} could not be installed here`, isOptional: true } : null;
}

async function run(stage) {
  const start = performance.now();
  const log = join(reports, stage.name.replaceAll(/\W+/g, '-'));
  const report = `${log}.json`;
  const output = openSync(log, 'w');
  const command = stage.tests ? `${stage.command} -- --json --outputFile=${report}` : stage.command;
  const child = spawn(
    'bash',
    ['-o', 'pipefail', '-c', `${command}\ncode=$?; times >&3; exit $code`],
    {
      stdio: ['ignore', output, output, 'pipe'],
      env: ENVIRONMENT,
    },
  );
  let times = '';
  child.stdio[3].on('data', (part) => (times += part));
  const [code, signal] = await once(child, 'exit');
  closeSync(output);
  const { good, bad, names } = stage.tests ? countsOf(report, code) : countOf(code);
  passed += good;
  failed += bad;
  if (bad > 0) {
    const how = signal ?? `exit code ${code}`;
    console.log(`\n=== ${stage.name}, ${how}, the last lines that it printed\n${endOf(log)}\n`);
    for (const name of names) console.log(`    failed: ${name}`);
  }
  const counts = stage.tests ? `${good} passed, ${bad} failed` : '';
  end(stage, bad === 0 ? 'ok' : 'FAILED', {
    seconds: Math.round((performance.now() - start) / 1_000),
    cpu: secondsIn(times),
    said: counts,
  });
}

/** What Bash's `times` says of a shell and its children: minutes and seconds, of the user and of the system. Processes that it did not wait for are missing. */
function secondsIn(times) {
  const sum = [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (total, [, minutes, seconds]) => total + Number(minutes) * 60 + Number(seconds),
    0,
  );
  return Math.round(sum);
}

function countOf(code) {
  return { good: code === 0 ? 1 : 0, bad: code === 0 ? 0 : 1, names: [] };
}

function countsOf(report, code) {
  if (!existsSync(report)) return { good: 0, bad: 1, names: ['it ended without a report'] };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  const names = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName);
  const bad = numFailedTests + numRuntimeErrorTestSuites;
  // A runner that fails without a failed test (a crash, a leak) has failed all the same.
  const crashed = bad === 0 && (code !== 0 || numPassedTests === 0);
  return { good: numPassedTests, bad: crashed ? 1 : bad, names };
}

function end({ name }, state, { seconds = 0, cpu = 0, said = '' }) {
  ended.set(name, { state, seconds, cpu });
  console.log(`--- ${name}: ${state} (${seconds} s)${said ? `, ${said}` : ''}`);
}

function endOf(log) {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-MOST_LINES).join('\n');
}

function printTimes() {
  const row = (name, { seconds, cpu, state = 'ok' }, budget) => {
    const columns = [seconds, cpu, budget ?? ''].map((column) => String(column).padStart(7));
    const over = seconds > budget ? ', OVER ITS BUDGET' : '';
    console.log(`${columns.join(' ')}  ${name}${state === 'ok' ? '' : `: ${state}`}${over}`);
  };
  console.log('\nseconds     cpu  budget  stage');
  for (const [name, times] of ended) row(name, times, budgets[name]);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const cpu = [...ended.values()].reduce((sum, times) => sum + times.cpu, 0);
  row('all stages', { seconds, cpu }, budgets[gate]);
}
