import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Short, so that a process that has used up its share does not stand still for long. */
const PERIOD_US = 10_000;

/** Linux has two versions of control groups. They limit CPU time under different paths and in different files. */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup/cpu',
    limits: (us: number) => [
      ['cpu.cfs_period_us', String(PERIOD_US)],
      ['cpu.cfs_quota_us', String(us)],
    ],
  },
  { root: '/sys/fs/cgroup', limits: (us: number) => [['cpu.max', `${us} ${PERIOD_US}`]] },
];

/** Gives a process a share of one core at most. */
export class CpuQuota {
  private constructor(
    private readonly pid: number,
    private readonly root: string,
    private readonly directory: string,
  ) {}

  /** Null when this machine has no control groups that this user may make. */
  static async limit(pid: number, share: number): Promise<CpuQuota | null> {
    for (const { root, limits } of VERSIONS) {
      const directory = join(root, `tillkit-bench-${pid}`);
      try {
        await mkdir(directory);
        for (const [file = '', value = ''] of limits(share * PERIOD_US))
          await writeExisting(join(directory, file), value);
        await writeExisting(join(directory, 'cgroup.procs'), String(pid));
        return new CpuQuota(pid, root, directory);
      } catch {
        await rmdir(directory).catch(() => undefined);
      }
    }
    return null;
  }

  async lift(): Promise<void> {
    await writeExisting(join(this.root, 'cgroup.procs'), String(this.pid));
    await rmdir(this.directory);
  }
}

/** The files of a control group exist: a new one would be in a usual directory. */
function writeExisting(file: string, text: string): Promise<void> {
  return writeFile(file, text, { flag: 'r+' });
}
