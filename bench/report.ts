import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { format } from 'prettier';
import type { BenchArguments } from './bench.arguments.js';
import type { Facts, Result } from './bench.result.js';
import { writePage } from './report.page.js';
import { terminalTable } from './report-table.format.js';

const RESULTS = new URL('./results.json', import.meta.url);

interface Saved {
  facts: Facts;
  results: (Omit<Result, 'samples'> & { facts: Facts })[];
}

/** Prints the table. After a full run it also writes `results.json`, and the page and its charts from all stored results. */
export async function report(results: Result[], facts: Facts, args: BenchArguments): Promise<void> {
  if (args.smoke)
    console.log(
      `${results.length} benchmarks work. The numbers of --smoke are too small to report.`,
    );
  else console.log(`\n${terminalTable(results.flatMap(({ findings }) => findings))}`);
  if (args.json !== undefined) {
    await mkdir(dirname(args.json), { recursive: true });
    await writeFile(
      args.json,
      await format(JSON.stringify({ facts, results }), { parser: 'json' }),
    );
  }
  if (args.smoke || args.profile !== undefined) return;
  const kept = await keep(results, facts);
  await writePage(kept.results, facts);
}

/**
 * Stores the results for the page. A run of some benchmarks replaces only their results; each result has the facts of its
 * machine. Only `--json FILE` stores the samples.
 */
async function keep(results: Result[], facts: Facts): Promise<Saved> {
  const before = await saved();
  const fresh = results.map(({ samples: _, ...result }) => ({ ...result, facts }));
  const names = new Set(results.map(({ name }) => name));
  const others = (before?.results ?? []).filter(({ name }) => !names.has(name));
  const all = { facts, results: [...others, ...fresh] };
  await writeFile(RESULTS, await format(JSON.stringify(all), { parser: 'json', printWidth: 100 }));
  return all;
}

async function saved(): Promise<Saved | null> {
  try {
    return JSON.parse(await readFile(RESULTS, 'utf8')) as Saved;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
