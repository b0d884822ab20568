import { readFileSync } from 'node:fs';

/** True when a process with that id runs. It may belong to another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // A zombie has ended, but its parent has not read its status, as in a container without an init process.
  return statusOf(pid)?.[0] !== 'Z';
}

/**
 * Returns a name that no later process gets. Systems reuse process ids, containers very soon, so the name has the start time too. Without /proc it is
 * the id alone.
 */
export function processName(pid: number): string {
  const began = statusOf(pid)?.[19];
  return began ? `${pid}.${began}` : String(pid);
}

/** True when the process that had that name still runs. */
export function isNamedProcessAlive(name: string): boolean {
  const pid = Number.parseInt(name, 10);
  return pid > 0 && isAlive(pid) && processName(pid) === name;
}

/** True when the process may be a PostgreSQL server. Without /proc it is always true. */
export function mayBePostgres(pid: number): boolean {
  return (readProc(pid, 'comm') ?? 'postgres').includes('postgres');
}

/**
 * Returns the fields of /proc/<pid>/stat after the name of the program: the first is the state, the twentieth the start time. The name may contain
 * any character, so parsing begins after its last parenthesis.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
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
