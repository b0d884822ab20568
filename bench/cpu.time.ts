import { readdir, readFile } from 'node:fs/promises';

/** `USER_HZ`: Linux counts the CPU time of processes in hundredths of a second on every machine that Node supports. */
const MS_PER_TICK = 10;
const NS_PER_MS = 1e6;

/**
 * Returns the CPU time in milliseconds of a process, of its children, and of the children that have ended, from /proc. Each connection of a
 * PostgreSQL server is a child of its first process. Of a process with several threads, only the first thread is counted.
 */
export async function cpuOfTree(pid: number): Promise<number> {
  const all = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((name) => readStat(name)),
  );
  let ms = 0;
  for (const stat of all) {
    if (stat?.pid === pid) ms += stat.own + stat.ended;
    else if (stat?.parent === pid) ms += stat.own;
  }
  return ms;
}

export async function parentOf(pid: number): Promise<number> {
  const stat = await readStat(String(pid));
  if (!stat) throw new Error(`process ${pid} has ended`);
  return stat.parent;
}

/** Times are in milliseconds. Null when the process has ended. */
async function readStat(
  pid: string,
): Promise<{ pid: number; parent: number; own: number; ended: number } | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // Ticks are too coarse for a server that does almost nothing.
  const precise = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => null);
  if (text === null || precise === null) return null;
  // The name of the program stands in parentheses and may contain spaces. The state and the parent follow it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (index: number): number => Number(fields[index]);
  return {
    pid: Number(pid),
    parent: field(1),
    own: Number(precise.split(' ')[0]) / NS_PER_MS,
    ended: (field(13) + field(14)) * MS_PER_TICK,
  };
}
