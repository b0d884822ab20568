import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StoreUnavailableError } from '@tillkit/payments/internal/store';
import { GroupCommit, type GroupCommitOptions } from './group-commit.js';
import { toStoreError } from './postgres.errors.js';

/** Longer than items gather. */
const GATHER_MS = 50;

const refused = (): Error => toStoreError(Object.assign(new Error('bad value'), { code: '22P02' }));

function grouped(options: Partial<GroupCommitOptions<number, string>> = {}) {
  const groups: number[][] = [];
  const commits = new GroupCommit<number, string>({
    commit: async (items) => {
      groups.push([...items]);
      return items.map(String);
    },
    maxRows: 10,
    inFlight: 1,
    maxQueued: 100,
    timeoutMs: 60_000,
    ...options,
  });
  return { commits, groups };
}

/** Returns a commit that lasts until the test ends it. */
function held() {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    release,
    commit: async (items: readonly number[]) => (await released, items.map(String)),
  };
}

describe('a group commit', () => {
  it('commits items of the same turn together, and resolves each with its own result', async () => {
    const { commits, groups } = grouped();
    expect(await Promise.all([1, 2, 3].map((item) => commits.add(item)))).toEqual(['1', '2', '3']);
    expect(groups).toEqual([[1, 2, 3]]);
  });

  it('limits its groups in rows and in bytes', async () => {
    const { commits, groups } = grouped({
      maxRows: 3,
      bytes: { of: (item) => item, maxGroup: 10, maxQueued: 1_000 },
    });
    await Promise.all([1, 1, 1, 1, 9, 9, 50].map((item) => commits.add(item)));
    expect(groups).toEqual([[1, 1, 1], [1, 9], [9], [50]]);
  });

  it('puts items that arrive during a commit into the next group', async () => {
    const { release, commit } = held();
    const groups: number[][] = [];
    const { commits } = grouped({
      commit: (items) => (groups.push([...items]), commit(items)),
    });
    const first = commits.add(1);
    await new Promise(setImmediate);
    const rest = [2, 3, 4].map((item) => commits.add(item));
    await new Promise(setImmediate);
    expect(groups).toEqual([[1]]);
    release();
    await Promise.all([first, ...rest]);
    expect(groups).toEqual([[1], [2, 3, 4]]);
  });

  // A turn of a busy machine may last longer than items gather.
  describe('while no time passes', () => {
    beforeEach(() => {
      jest.useFakeTimers({
        doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'],
      });
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('gathers unhurried items of several turns, until it is drained', async () => {
      const { commits, groups } = grouped({ isUnhurried: true });
      const first = commits.add(1);
      await new Promise(setImmediate);
      const second = commits.add(2);
      await new Promise(setImmediate);
      jest.advanceTimersByTime(GATHER_MS);
      expect(await Promise.all([first, second])).toEqual(['1', '2']);
      const last = commits.add(3);
      await commits.drain();
      expect(groups).toEqual([[1, 2], [3]]);
      expect(await last).toBe('3');
    });

    it('begins a second group beside the first one only when it is full by half', async () => {
      const { release, commit } = held();
      const groups: number[][] = [];
      const { commits } = grouped({
        inFlight: 2,
        maxRows: 4,
        commit: (items) => (groups.push([...items]), commit(items)),
      });
      const all = [commits.add(1)];
      await new Promise(setImmediate);
      all.push(commits.add(2));
      await new Promise(setImmediate);
      expect(groups).toEqual([[1]]);
      all.push(commits.add(3));
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(groups).toEqual([[1], [2, 3]]);
      release();
      await Promise.all(all);
    });
  });

  it('begins a second group when the first one takes long', async () => {
    const { release, commit } = held();
    const { commits } = grouped({
      inFlight: 2,
      commit: (items) => (items.includes(1) ? commit(items) : Promise.resolve(items.map(String))),
    });
    const first = commits.add(1);
    await new Promise(setImmediate);
    expect(await commits.add(2)).toBe('2');
    release();
    expect(await first).toBe('1');
  });

  it('leaves out items that are not done, and continues with the next group', async () => {
    const { release, commit } = held();
    const slow = commit([13]);
    const { commits, groups } = grouped({
      commit: async (items) => {
        groups.push([...items]);
        return items.map((item) => (item === 13 ? slow.then(() => 'late') : String(item)));
      },
    });
    const late = commits.add(13);
    expect(await commits.add(1)).toBe('1');
    expect(await commits.add(2)).toBe('2');
    expect(groups).toEqual([[13, 1], [2]]);
    release();
    expect(await late).toBe('late');
  });

  it('fails for the one bad row only', async () => {
    const { commits } = grouped({
      commit: async (items) => {
        if (items.includes(13)) throw refused();
        return items.map(String);
      },
      maxRows: 50,
    });
    const items = Array.from({ length: 50 }, (_, index) => index);
    const results = await Promise.allSettled(items.map((item) => commits.add(item)));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(results[13]?.status).toBe('rejected');
  });

  it('does not try again row by row when no row caused the error', async () => {
    let tries = 0;
    const { commits } = grouped({
      commit: async () => {
        tries += 1;
        throw toStoreError(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
      },
    });
    const results = await Promise.allSettled([1, 2, 3].map((item) => commits.add(item)));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(tries).toBe(1);
  });

  it('refuses items above the limits of waiting rows and bytes', async () => {
    const { release, commit } = held();
    const { commits } = grouped({
      commit,
      maxRows: 1,
      maxQueued: 3,
      bytes: { of: (item) => item, maxGroup: 100, maxQueued: 100 },
    });
    const waiting = [commits.add(1)];
    await new Promise(setImmediate);
    waiting.push(commits.add(60), commits.add(30));
    await expect(commits.add(20)).rejects.toThrow(StoreUnavailableError);
    waiting.push(commits.add(1));
    await expect(commits.add(1)).rejects.toThrow('3 writes are waiting');
    release();
    await Promise.all(waiting);
    expect(await commits.add(99)).toBe('99');
  });

  it('refuses items that have waited too long for a group that hangs', async () => {
    const { release, commit } = held();
    const { commits } = grouped({ commit, timeoutMs: 5 });
    const first = commits.add(1);
    await new Promise(setImmediate);
    await expect(commits.add(2)).rejects.toThrow('did not write for 5 ms');
    release();
    expect(await first).toBe('1');
  });

  it('has settled all items after it is drained', async () => {
    const { commits, groups } = grouped({ maxRows: 1 });
    const all = Promise.all([1, 2, 3].map((item) => commits.add(item)));
    await commits.drain();
    expect(groups).toHaveLength(3);
    await all;
  });
});
