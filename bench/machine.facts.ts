import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** The machine and the commit of a measurement. */
export interface MachineFacts {
  date: string;
  node: string;
  cores: number;
  processor: string;
  memoryGb: number;
  commit: string;
  /** Hash of the code that is compared with ours, and of the load and the platforms. */
  contenders: string;
}

export function machineFacts(): MachineFacts {
  const cores = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cores: cores.length,
    processor: cores[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    commit: commit(),
    contenders: contenders(),
  };
}

/** Returns the commit; `unknown` in a copy without git history. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

const SUBJECTS = new URL('./subjects/', import.meta.url);

function contenders(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(SUBJECTS).toSorted())
    hash.update(`${name}\0`).update(readFileSync(new URL(name, SUBJECTS)));
  return hash.digest('hex').slice(0, 12);
}
