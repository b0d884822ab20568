import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { untilDeadline } from './write-permission.js';

describe('a deadline of a request', () => {
  const end = jest.fn<(isLate: boolean) => void>();

  afterEach(() => {
    jest.useRealTimers();
    end.mockReset();
  });

  it('ends it once, when its time is over', () => {
    jest.useFakeTimers();
    const shutdown = new AbortController();
    untilDeadline(100, shutdown.signal, end);
    jest.advanceTimersByTime(99);
    expect(end).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    shutdown.abort();
    expect(end.mock.calls).toEqual([[true]]);
  });

  it('does not end it after it is stopped', () => {
    jest.useFakeTimers();
    const shutdown = new AbortController();
    untilDeadline(100, shutdown.signal, end)();
    jest.advanceTimersByTime(1_000);
    shutdown.abort();
    expect(end).not.toHaveBeenCalled();
  });

  it('ends it once when the application closes, which is not late', () => {
    jest.useFakeTimers();
    const shutdown = new AbortController();
    untilDeadline(100, shutdown.signal, end);
    shutdown.abort();
    jest.advanceTimersByTime(1_000);
    expect(end.mock.calls).toEqual([[false]]);
  });
});
