import { cpus } from 'node:os';

/** Runs `work`, and returns the share of all cores that all processes used meanwhile. */
export async function withMachineLoad<T>(
  work: () => Promise<T>,
): Promise<{ result: T; busyShare: number }> {
  const before = times();
  const result = await work();
  const after = times();
  const all = after.all - before.all;
  return { result, busyShare: all === 0 ? 0 : (after.busy - before.busy) / all };
}

function times(): { busy: number; all: number } {
  const each = cpus().map((core) => core.times);
  const all = each.reduce(
    (sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle,
    0,
  );
  return { all, busy: all - each.reduce((sum, { idle }) => sum + idle, 0) };
}
