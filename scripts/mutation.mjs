/**
 * Mutation testing of libs/payments: changes its code in one place at a time and sees whether a test fails. Stryker makes the mutants. Works on a clone of
 * the last commit, because they stand in the sources.
 * Usage: npm run test:mutation -- [area ...] [--sample N [--seed S]] [--specs] [--jobs N] [--report file] [--found file]...
 *
 * An area (mutation.areas.mjs) must leave no survivor that SURVIVORS does not explain. A sample takes N mutants of the whole library at random: at least 90 % must be found.
 * With neither, all areas. --specs runs the specs only: faster, and finds less. --found names reports of earlier runs: what a test found there, in code
 * that is still the same, is not run again.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { AREAS, SURVIVORS } from './mutation.areas.mjs';
import { MutatedClone } from './mutated.clone.mjs';

const LEAST_SHARE = 0.9;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    specs: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(cpus().length) },
    report: { type: 'string' },
    found: { type: 'string', multiple: true, default: [] },
  },
});
const unknown = positionals.filter((area) => !(area in AREAS));
if (unknown.length > 0) {
  console.error(
    `There is no area ${unknown.join(', ')}: name some of ${Object.keys(AREAS).join(', ')}.`,
  );
  process.exit(2);
}
for (const option of ['sample', 'jobs']) {
  if (values[option] === undefined || /^[1-9]\d*$/.test(values[option])) continue;
  console.error(`--${option} must be a whole number from 1 on, not "${values[option]}".`);
  process.exit(2);
}
const areas = positionals.length > 0 || values.sample ? positionals : Object.keys(AREAS);

const foundBefore = readFoundIn(values.found);
const clone = await MutatedClone.create({ onlySpecs: values.specs });
const results = [];
let failed = 0;
try {
  for (const area of areas) {
    const mutants = clone.mutants.filter(({ file }) => AREAS[area].includes(file));
    const survivors = await survivorsOf(area, mutants);
    if (survivors.length > 0) failed += 1;
  }
  if (values.sample) {
    const mutants = atRandom(clone.mutants, Number(values.sample), values.seed);
    const survivors = await survivorsOf(`sample ${values.seed}`, mutants);
    const share = 1 - survivors.length / mutants.length;
    const error = 1.96 * Math.sqrt((share * (1 - share)) / mutants.length);
    console.log(
      `${percent(share)} of ${mutants.length} of ${clone.mutants.length} mutants found: of all, ${percent(share - error)} to ${percent(share + error)} with a confidence of 95 %`,
    );
    if (share < LEAST_SHARE) failed += 1;
  }
} finally {
  await clone.remove();
}
const ran = areas.length + (values.sample ? 1 : 0);
console.log(`${ran - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Prints and returns the mutants that no test finds and nobody has explained. */
async function survivorsOf(name, mutants) {
  const survivors = [];
  let explained = 0;
  let done = 0;
  const waiting = mutants.values();
  const worker = async () => {
    for (const mutant of waiting) {
      const known = SURVIVORS.some((survivor) => isOf(survivor, mutant));
      const verdict = known
        ? { status: 'explained' }
        : (foundBefore.get(nameOf(mutant)) ?? (await clone.test(mutant)));
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
  const found = mutants.length - survivors.length - explained;
  console.log(
    `${name}: ${mutants.length} mutants, ${found} found, ${explained} explained, ${survivors.length} survived`,
  );
  return survivors;
}

function isOf(survivor, { file, code, replacement }) {
  return survivor.file === file && survivor.code === code && survivor.replacement === replacement;
}

/** What earlier runs found, by mutant; a later report counts. Of several mutants that look the same, all must have been found. */
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

/** The same for the same seed. */
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
