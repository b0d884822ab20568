import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

/** The machine and the commit of a measurement. */
export interface MachineFacts {
  date: string;
  node: string;
  cores: number;
  processor: string;
  memoryGb: number;
  commit: string;
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
  };
}

/** The commit; `unknown` in a copy without git history. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
