/** The command: measures, prints a table, writes JSON, charts and docs/performance.md. See USAGE. */
import { readArguments, USAGE, type BenchArguments } from './bench.arguments.js';
import { BenchContext } from './bench.context.js';
import type { Benchmark } from './benchmark.js';
import { BENCHMARKS } from './benchmarks.catalogue.js';
import { machineFacts } from './machine.facts.js';
import { report, type Result } from './report.js';

/** One that fails keeps nobody from hearing of the others; the command then fails in the end. */
async function resultOf(benchmark: Benchmark, bench: BenchContext): Promise<Result | null> {
  const { name, title } = benchmark;
  console.log(`${name}: ${title}`);
  const begunAt = performance.now();
  try {
    const outcome = await benchmark.run(bench);
    const seconds = (performance.now() - begunAt) / 1000;
    console.log(`  ${seconds.toFixed(1)} s`);
    return { name, title, seconds, ...outcome };
  } catch (error) {
    if (!bench.ended) console.error(`${name} failed:`, error);
    process.exitCode = 1;
    return null;
  }
}

async function run(chosen: readonly Benchmark[], given: BenchArguments): Promise<void> {
  const bench = new BenchContext(given);
  // Stays in place until the end: a signal that nobody handles would end this process before it has cleaned up.
  const stop = (): void => {
    if (bench.ended) process.exit(130);
    void bench.close().finally(() => process.exit(130));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const startedAt = performance.now();
  const results: Result[] = [];
  try {
    for (const benchmark of chosen) {
      if (bench.ended) break;
      const result = await resultOf(benchmark, bench);
      if (result) results.push(result);
    }
    const facts = { ...machineFacts(), postgres: await bench.postgresFacts() };
    await report(results, facts, given);
  } finally {
    await bench.close();
  }
  console.log(
    `${results.length} benchmarks in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
}

try {
  const given = readArguments(
    process.argv.slice(2),
    BENCHMARKS.map(({ name }) => name),
  );
  const chosen = BENCHMARKS.filter(
    ({ name }) => given.names.length === 0 || given.names.includes(name),
  );
  if (given.list)
    for (const { name, title } of BENCHMARKS) console.log(`${name.padEnd(24)} ${title}`);
  else await run(chosen, given);
} catch (error) {
  const usage = error instanceof Error && /There is no|must be|Unknown option/.test(error.message);
  console.error(usage ? `${error.message}\n${USAGE}` : error);
  process.exitCode = 1;
}
