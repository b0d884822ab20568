import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { format } from 'prettier';
import type { BenchArguments } from './bench.arguments.js';
import type { Outcome } from './benchmark.js';
import type { MachineFacts } from './machine.facts.js';
import { writePage } from './report.page.js';
import { terminalTable } from './report.table.js';

/** What one benchmark found, and how long it took. */
export interface Result extends Outcome {
  name: string;
  title: string;
  seconds: number;
}

export interface Facts extends MachineFacts {
  postgres: Record<string, string> | null;
}

const RESULTS = new URL('./results.json', import.meta.url);

interface Saved {
  facts: Facts;
  results: (Omit<Result, 'samples'> & { facts: Facts })[];
}

/** Prints the table; in full runs also keeps the numbers, and makes the page and its charts from all that are kept. */
export async function report(
  results: Result[],
  facts: Facts,
  given: BenchArguments,
): Promise<void> {
  if (given.smoke)
    console.log(`${results.length} work; too little was measured to say anything else.`);
  else console.log(`\n${terminalTable(results.flatMap(({ findings }) => findings))}`);
  if (given.json !== undefined) {
    await mkdir(dirname(given.json), { recursive: true });
    await writeFile(
      given.json,
      await format(JSON.stringify({ facts, results }), { parser: 'json' }),
    );
  }
  if (given.smoke || given.profile !== undefined) return;
  const kept = await keep(results, facts);
  await writePage(kept.results, facts);
}

/**
 * Keeps what the page shows: a run of some benchmarks replaces their numbers and leaves those of the others, each with
 * where it was measured. The single samples are kept by `--json FILE` only.
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
