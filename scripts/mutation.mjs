/**
 * Mutation testing of libs/payments: changes its code in one place at a time and sees whether a test fails. Stryker makes the mutants. Works on a clone of
 * the last commit, because they stand in the sources.
 * Usage: npm run test:mutation -- [area ...] [--sample N [--seed S] [--money]] [--specs] [--minutes M] [--jobs N] [--report file] [--found file]...
 *        npm run test:mutation -- --changed [base]
 *
 * An area (mutation.areas.mjs) must leave no survivor that SURVIVORS does not explain. A sample takes N mutants of the whole library, or of the money path, at
 * random: at least 90 % must be found. With neither, all areas. --specs runs the specs only: faster, and finds less. --found names reports of earlier runs: what
 * a test found there, in code that is still the same, is not run again.
 *
 * --changed mutates the lines that differ from a commit (see mutation.change.mjs), committed or not, in at most ten minutes. It runs the specs that import
 * the changed files. What its time does not suffice for is left out at random, and counted. At least 90 % of the others must be found.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { AREAS, MONEY_PATH, SURVIVORS } from './mutation.areas.mjs';
import { changeSince, mutatedSources, SOURCES } from './mutation.change.mjs';
import { installTools } from './tools.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LEAST_SHARE = 0.9;
const MINUTES_FOR_A_CHANGE = '10';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changed: { type: 'boolean', default: false },
    sample: { type: 'string' },
    money: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    specs: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    jobs: { type: 'string', default: String(cpus().length) },
    report: { type: 'string' },
    found: { type: 'string', multiple: true, default: [] },
  },
});
const unknown = values.changed ? [] : positionals.filter((area) => !(area in AREAS));
if (unknown.length > 0) {
  console.error(
    `There is no area ${unknown.join(', ')}: name some of ${Object.keys(AREAS).join(', ')}.`,
  );
  process.exit(2);
}
for (const option of ['sample', 'minutes', 'jobs']) {
  if (values[option] === undefined || /^[1-9]\d*$/.test(values[option])) continue;
  console.error(`--${option} must be a whole number from 1 on, not "${values[option]}".`);
  process.exit(2);
}
const minutes = values.minutes ?? (values.changed ? MINUTES_FOR_A_CHANGE : undefined);
const endsAt = minutes ? Date.now() + Number(minutes) * 60_000 : Number.POSITIVE_INFINITY;
const foundBefore = readFoundIn(values.found);
installTools('tools/mutation');
const { MutatedClone } = await import('../tools/mutation/mutated.clone.mjs');
const results = [];
const { ran, failed } = values.changed
  ? await testChange(positionals[0])
  : await testAreasAndSample();
console.log(`${ran - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function testAreasAndSample() {
  const areas = positionals.length > 0 || values.sample ? positionals : Object.keys(AREAS);
  const files = values.money ? moneyPath() : undefined;
  const withinMs = minutes && (endsAt - Date.now()) / 2;
  const clone = await MutatedClone.create({ onlySpecs: values.specs, files, withinMs });
  let failed = 0;
  try {
    for (const area of areas) {
      const mutants = clone.mutants.filter(({ file }) => AREAS[area].includes(file));
      const { survivors } = await survivorsOf(clone, area, mutants);
      if (survivors.length > 0) failed += 1;
    }
    if (values.sample) {
      const mutants = atRandom(clone.mutants, Number(values.sample), values.seed);
      const { share, tested } = await survivorsOf(clone, `sample ${values.seed}`, mutants);
      const error = 1.96 * Math.sqrt((share * (1 - share)) / tested);
      console.log(
        `${percent(share)} of ${tested} of ${clone.mutants.length} mutants found: of all, ${percent(share - error)} to ${percent(share + error)} with a confidence of 95 %`,
      );
      if (share < LEAST_SHARE) failed += 1;
    }
  } finally {
    await clone.remove();
  }
  return { ran: areas.length + (values.sample ? 1 : 0), failed };
}

async function testChange(since) {
  const { base, lines, notMutated, uncommitted } = changeSince(since, ROOT);
  for (const file of notMutated) console.log(`  not mutated: ${file}`);
  if (lines.size === 0) {
    console.log(`No source in ${SOURCES} has changed since ${base}.`);
    return { ran: 0, failed: 0 };
  }
  const clone = await MutatedClone.create({
    onlySpecs: true,
    files: [...lines.keys()],
    isWanted: ({ file, line }) => lines.get(file)?.has(line) ?? true,
    uncommitted,
    withinMs: (endsAt - Date.now()) / 2,
  });
  try {
    const mutants = atRandom(clone.mutants, clone.mutants.length, values.seed);
    const { share, tested } = await survivorsOf(clone, `changed since ${base}`, mutants);
    if (tested < mutants.length)
      console.log(
        `${mutants.length - tested} of ${mutants.length} mutants were left out, at random, because ${minutes} minutes were over. --minutes M gives more time.`,
      );
    const isTested = tested > 0 || mutants.length === 0;
    return { ran: 1, failed: isTested && share >= LEAST_SHARE ? 0 : 1 };
  } finally {
    await clone.remove();
  }
}

function moneyPath() {
  return mutatedSources(ROOT).filter((file) => MONEY_PATH.test(file));
}

/** Prints and returns the mutants that no test finds and nobody has explained, and the share that was found of those that were tested. */
async function survivorsOf(clone, name, mutants) {
  const survivors = [];
  let explained = 0;
  let leftOut = 0;
  let done = 0;
  const waiting = mutants.values();
  const worker = async () => {
    for (const mutant of waiting) {
      const known = SURVIVORS.some((survivor) => isOf(survivor, mutant));
      const verdict = known
        ? { status: 'explained' }
        : (foundBefore.get(nameOf(mutant)) ?? (await testInTime(clone, mutant)));
      if (verdict.status === 'left out') {
        leftOut += 1;
        continue;
      }
      results.push({ area: name, ...mutant, ...verdict });
      if (values.report) writeFileSync(values.report, JSON.stringify(results, null, 1));
      if (known) explained += 1;
      if (verdict.status === 'survived' || verdict.status === 'not run') {
        survivors.push(mutant);
        const { file, line, changed, replacement } = mutant;
        console.log(`  ${verdict.status}: ${file}:${line}  ${changed}  ->  ${replacement}`);
      }
      done += 1;
      if (done % 20 === 0) console.log(`  ${name}: ${done} of ${mutants.length}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  const tested = mutants.length - leftOut;
  const found = tested - survivors.length - explained;
  console.log(
    `${name}: ${tested} mutants, ${found} found, ${explained} explained, ${survivors.length} survived`,
  );
  return { survivors, tested, share: tested === 0 ? 1 : 1 - survivors.length / tested };
}

async function testInTime(clone, mutant) {
  const withinMs = endsAt - Date.now();
  return withinMs > 0 ? await clone.test(mutant, withinMs) : { status: 'left out' };
}

function isOf(survivor, { file, code, replacement }) {
  return survivor.file === file && survivor.code === code && survivor.replacement === replacement;
}

/** Reads what earlier runs found, by mutant; a later report counts. Of several mutants that look the same, all must have been found. */
function readFoundIn(reports) {
  const found = new Map();
  for (const report of reports) {
    const results = JSON.parse(readFileSync(report, 'utf8'));
    for (const { by, ...result } of results) found.set(nameOf(result), { status: 'found', by });
    for (const { status, by, ...result } of results)
      if (status !== 'found' || by === undefined) found.delete(nameOf(result));
  }
  return found;
}

function nameOf({ file, code, changed, replacement }) {
  return JSON.stringify([file, code, changed, replacement]);
}

/** Draws `count` mutants. The same seed draws the same ones. */
function atRandom(mutants, count, seed) {
  const rank = ({ id }) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return mutants
    .map((mutant) => ({ mutant, rank: rank(mutant) }))
    .toSorted((one, other) => one.rank.localeCompare(other.rank))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
