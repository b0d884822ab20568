import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SkippingRuntime } from '../../testing/skipping.runtime.js';
import { TimeLimit } from '../../runtime/clock.js';
import { freePermission, WritePermission } from './write-permission.js';

describe('The permission to write a create', () => {
  const ask = jest.fn<() => Promise<void>>();
  const assertNow = jest.fn<() => void>();
  let runtime: SkippingRuntime;
  let permission: WritePermission;

  beforeEach(() => {
    ask.mockReset().mockResolvedValue();
    assertNow.mockReset();
    runtime = new SkippingRuntime();
    const rules = { operation: 'pay', ask, assertNow, leftMs: 60_000 };
    permission = new WritePermission(rules, runtime, new TimeLimit(runtime, 1_000));
  });

  it('is used without a question within a second after the commit that gave it', async () => {
    runtime.advance(999);
    await permission.refresh();
    permission.use();
    expect(ask).not.toHaveBeenCalled();
    expect(permission.isUnanswered).toBe(true);
  });

  it('is not used later, until the store has been asked again', async () => {
    runtime.advance(1_000);
    expect(() => permission.use()).toThrow('store');
    expect(permission.isUsed).toBe(false);
    await permission.refresh();
    permission.use();
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('counts its second from the moment in which the store is asked', async () => {
    runtime.advance(1_000);
    ask.mockImplementation(async () => runtime.advance(1_000));
    await permission.refresh();
    expect(() => permission.use()).toThrow('took longer than a second');
  });

  it('is not used after the machine was suspended, for which its monotonic clock stands still', () => {
    const wall = jest.spyOn(runtime, 'now');
    wall.mockReturnValue(runtime.now() + 1_000);
    expect(() => permission.use()).toThrow('store');
  });

  it('is not waited for when the store does not answer', async () => {
    runtime.advance(1_000);
    ask.mockReturnValue(new Promise(() => undefined));
    await expect(permission.refresh()).rejects.toThrow('took longer than a second');
  });

  it('is not given while the store does not say so', async () => {
    runtime.advance(1_000);
    ask.mockRejectedValue(new Error('paused'));
    await expect(permission.refresh()).rejects.toThrow('paused');
    expect(() => permission.use()).toThrow('store');
  });

  it('is not used when this process knows why not', () => {
    assertNow.mockImplementation(() => {
      throw new Error('too late');
    });
    expect(() => permission.use()).toThrow('too late');
    expect(permission.isUsed).toBe(false);
  });

  it.each([
    ['before its answer came', () => undefined],
    ['after its answer came', () => permission.answered()],
  ])('is not used a second time %s', (_, happens) => {
    permission.use();
    happens();
    expect(() => permission.use()).toThrow('written once');
    expect(permission.isUsed).toBe(true);
  });

  it('is not used when nobody waits for it any more', () => {
    permission.end();
    expect(() => permission.use()).toThrow('not sent');
    expect(permission.isUsed).toBe(false);
  });

  it('says that something is open when its answer comes after its end', () => {
    permission.use();
    permission.end();
    permission.answered();
    expect(permission.isUnanswered).toBe(true);
  });

  it('says that nothing is open after an answer', () => {
    permission.use();
    permission.answered();
    expect(permission.isUnanswered).toBe(false);
  });
});

describe('The permission to write a read', () => {
  it('is used at any time, and again', () => {
    const runtime = new SkippingRuntime();
    const permission = freePermission('read', runtime);
    runtime.advance(3_600_000);
    permission.use();
    permission.use();
    expect(permission.isUsed).toBe(true);
  });
});
