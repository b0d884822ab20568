import { beforeEach, describe, expect, it } from '@jest/globals';
import { Recent } from './recent.js';
import { Runtime } from './runtime.js';

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

  it('are forgotten after ten minutes, each at its own time', () => {
    recent.put('one', 1);
    time = 300_000;
    recent.put('two', 2);
    time = 600_001;
    expect([recent.get('one'), recent.get('two')]).toEqual([null, 2]);
    time = 900_001;
    expect([recent.get('one'), recent.get('two')]).toEqual([null, null]);
  });

  it('are at most two thousand: the first that was put is forgotten first', () => {
    for (let n = 0; n < 2_000; n += 1) recent.put(`n${n}`, n);
    recent.put('n0', 0);
    recent.put('more', 1);
    expect([recent.get('n0'), recent.get('n1'), recent.get('n2')]).toEqual([0, null, 2]);
    const names = [...Array.from({ length: 2_000 }, (_, n) => `n${n}`), 'more'];
    expect(names.filter((name) => recent.get(name) !== null)).toHaveLength(2_000);
  });
});
