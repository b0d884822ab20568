/** The command `npm run bench`: measures, prints a table, and writes JSON, charts and docs/performance.md. See USAGE. */
import { readArguments, USAGE, type BenchArguments } from './bench.arguments.js';
import { BenchContext } from './bench.context.js';
import type { Benchmark } from './benchmark.js';
import { BENCHMARKS } from './benchmarks.catalogue.js';
import { machineFacts } from './machine.facts.js';
import type { Result } from './bench.result.js';
import { report } from './report.js';

/** Runs one benchmark. If it fails, the others still run, and the command exits with 1. */
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

async function run(chosen: readonly Benchmark[], args: BenchArguments): Promise<void> {
  const bench = new BenchContext(args);
  // Handle signals until the end: without a handler, a signal would end this process before the cleanup.
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
    await report(results, facts, args);
  } finally {
    await bench.close();
  }
  console.log(
    `${results.length} benchmarks in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
}

try {
  const args = readArguments(
    process.argv.slice(2),
    BENCHMARKS.map(({ name }) => name),
  );
  const chosen = BENCHMARKS.filter(
    ({ name }) => args.names.length === 0 || args.names.includes(name),
  );
  if (args.list)
    for (const { name, title } of BENCHMARKS) console.log(`${name.padEnd(24)} ${title}`);
  else await run(chosen, args);
} catch (error) {
  const usage = error instanceof Error && /There is no|must be|Unknown option/.test(error.message);
  console.error(usage ? `${error.message}\n${USAGE}` : error);
  process.exitCode = 1;
}
