import { readFileSync } from 'node:fs';

/** Whether a process with that id runs, whoever's it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // one that has ended and that nobody asked about, as in a container without an init
  return statusOf(pid)?.[0] !== 'Z';
}

/**
 * Names a process for good: ids are used again, soon so in a container. Where the system does not tell when a process
 * began, its id alone.
 */
export function processName(pid: number): string {
  const began = statusOf(pid)?.[19];
  return began ? `${pid}.${began}` : String(pid);
}

/** Whether the process that had that name still runs. */
export function isNamedProcessAlive(name: string): boolean {
  const pid = Number.parseInt(name, 10);
  return pid > 0 && isAlive(pid) && processName(pid) === name;
}

/** Whether a process is a PostgreSQL server, as far as the system tells; yes where it does not. */
export function mayBePostgres(pid: number): boolean {
  return (readProc(pid, 'comm') ?? 'postgres').includes('postgres');
}

/** State, ..., and 19 fields later when it began (proc(5)). The program's name before them may hold anything. */
function statusOf(pid: number): string[] | undefined {
  const status = readProc(pid, 'stat');
  return status?.slice(status.lastIndexOf(')') + 2).split(' ');
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
