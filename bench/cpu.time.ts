import { readdir, readFile } from 'node:fs/promises';

/** `USER_HZ`: Linux counts the CPU time of processes in hundredths of a second on every machine that Node supports. */
const MS_PER_TICK = 10;

/**
 * CPU time in milliseconds of a process, of its children, and of the children that have ended, from /proc. Each connection of a
 * PostgreSQL server is a child of its first process.
 */
export async function cpuOfTree(pid: number): Promise<number> {
  const all = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((name) => readStat(name)),
  );
  let ticks = 0;
  for (const stat of all) {
    if (stat?.pid === pid) ticks += stat.own + stat.ended;
    else if (stat?.parent === pid) ticks += stat.own;
  }
  return ticks * MS_PER_TICK;
}

export async function parentOf(pid: number): Promise<number> {
  const stat = await readStat(String(pid));
  if (!stat) throw new Error(`process ${pid} has ended`);
  return stat.parent;
}

/** Null when the process has ended. */
async function readStat(
  pid: string,
): Promise<{ pid: number; parent: number; own: number; ended: number } | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name of the program stands in parentheses and may contain spaces. The state and the parent follow it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number): number => Number(fields[index]);
  return {
    pid: Number(pid),
    parent: ticks(1),
    own: ticks(11) + ticks(12),
    ended: ticks(13) + ticks(14),
  };
}
