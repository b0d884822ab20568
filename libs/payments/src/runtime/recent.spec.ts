import { beforeEach, describe, expect, it } from '@jest/globals';
import { Recent } from './recent.js';
import { Runtime } from './clock.js';

describe('recent values', () => {
  let time: number;
  let recent: Recent<number>;

  beforeEach(() => {
    time = 0;
    const runtime = new Runtime();
    runtime.elapsed = () => time;
    recent = new Recent(runtime);
  });

  it('are found by their names until they are deleted', () => {
    recent.put('one', 1);
    recent.put('two', 2);
    recent.put('one', 11);
    expect([recent.get('one'), recent.get('two'), recent.get('three')]).toEqual([11, 2, null]);
    recent.delete('one');
    expect([recent.get('one'), recent.get('two')]).toEqual([null, 2]);
  });

  it('are deleted after ten minutes, each at its own time', () => {
    recent.put('one', 1);
    time = 300_000;
    recent.put('two', 2);
    time = 600_001;
    expect([recent.get('one'), recent.get('two')]).toEqual([null, 2]);
    time = 900_001;
    expect([recent.get('one'), recent.get('two')]).toEqual([null, null]);
  });

  it('are at most two thousand: the first that was put is deleted first', () => {
    for (let n = 0; n < 2_000; n += 1) recent.put(`n${n}`, n);
    recent.put('n0', 0);
    recent.put('more', 1);
    expect([recent.get('n0'), recent.get('n1'), recent.get('n2')]).toEqual([0, null, 2]);
    const names = [...Array.from({ length: 2_000 }, (_, n) => `n${n}`), 'more'];
    expect(names.filter((name) => recent.get(name) !== null)).toHaveLength(2_000);
  });

  describe('of accounts', () => {
    interface Value {
      account: string;
      text: string;
    }
    const KB = 1_024;
    let values: Recent<Value>;
    beforeEach(() => {
      const runtime = new Runtime();
      runtime.elapsed = () => time;
      values = new Recent<Value>(runtime, ({ account }) => account);
    });
    const put = (name: string, account: string, bytes: number): void =>
      values.put(name, { account, text: 'x'.repeat(bytes) });
    const kept = (prefix: string, count: number): number =>
      Array.from({ length: count }, (_, n) => values.get(`${prefix}${n}`)).filter(Boolean).length;

    it('are at most 8 MB of one account, of which the first that were put are deleted, and no other account loses any', () => {
      put('other', 'other', 100);
      for (let n = 0; n < 1_000; n += 1) put(`n${n}`, 'one', 60 * KB);
      expect(kept('n', 1_000)).toBe(136);
      expect(values.get('n999')).not.toBeNull();
      expect(values.get('other')).not.toBeNull();
    });

    it('are at most 16 MB of all accounts', () => {
      for (let n = 0; n < 1_000; n += 1) put(`n${n}`, `account${n % 10}`, 60 * KB);
      expect(kept('n', 1_000)).toBe(272);
    });

    it('are not kept when they are larger than 64 kB, and what was known under the name is deleted', () => {
      put('one', 'one', 100);
      put('one', 'one', 65 * KB);
      expect(values.get('one')).toBeNull();
    });

    it('have room again when they are deleted', () => {
      for (let n = 0; n < 136; n += 1) put(`n${n}`, 'one', 60 * KB);
      values.delete('n100');
      put('again', 'one', 60 * KB);
      expect(kept('n', 136)).toBe(135);
    });
  });
});
