import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import axios from 'axios';
import { RequestDeadline } from './request-deadline.js';

const LONG_MS = 60_000;

describe('a deadline of a request', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('aborts once, when its time is over', () => {
    jest.useFakeTimers();
    const deadline = new RequestDeadline(100);
    const listener = jest.fn();
    deadline.addEventListener('abort', listener);
    jest.advanceTimersByTime(99);
    expect(deadline.aborted).toBe(false);
    jest.advanceTimersByTime(1_000);
    expect(deadline.aborted).toBe(true);
    expect(deadline.reason).toMatchObject({ name: 'TimeoutError' });
    expect(listener.mock.calls).toEqual([[{ type: 'abort' }]]);
    deadline.clear();
  });

  it('does not abort after it is cleared', () => {
    jest.useFakeTimers();
    const shutdown = new AbortController();
    const deadline = new RequestDeadline(100, shutdown.signal);
    const listener = jest.fn();
    deadline.addEventListener('abort', listener);
    deadline.clear();
    jest.advanceTimersByTime(1_000);
    shutdown.abort();
    expect(deadline.aborted).toBe(false);
    expect(listener).not.toHaveBeenCalled();
  });

  it('aborts when the application closes, which is no timeout', () => {
    const shutdown = new AbortController();
    const deadline = new RequestDeadline(LONG_MS, shutdown.signal);
    const [listener, removed] = [jest.fn(), jest.fn()];
    deadline.addEventListener('abort', listener);
    deadline.addEventListener('abort', removed);
    deadline.removeEventListener('abort', removed);
    shutdown.abort();
    expect(deadline.aborted).toBe(true);
    expect(deadline.reason).not.toMatchObject({ name: 'TimeoutError' });
    expect(listener).toHaveBeenCalledTimes(1);
    expect(removed).not.toHaveBeenCalled();
    deadline.clear();
  });

  it('has aborted from the beginning when the application has closed', () => {
    const deadline = new RequestDeadline(LONG_MS, AbortSignal.abort());
    expect(deadline.aborted).toBe(true);
    deadline.clear();
  });

  /** How a request of axios with a deadline ends, and how many listeners it leaves. */
  const requestWith = async (
    deadline: RequestDeadline,
    answer: RequestListener,
  ): Promise<{ error: unknown; listeners: number }> => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const listeners = new Set<unknown>();
    const add = deadline.addEventListener.bind(deadline);
    const remove = deadline.removeEventListener.bind(deadline);
    deadline.addEventListener = (type, listener) => (listeners.add(listener), add(type, listener));
    deadline.removeEventListener = (type, listener) => {
      listeners.delete(listener);
      remove(type, listener);
    };
    try {
      const error: unknown = await axios
        .post(`http://127.0.0.1:${port}`, '{}', { signal: deadline, proxy: false })
        .then(() => null)
        .catch((failure: unknown) => failure);
      return { error, listeners: listeners.size };
    } finally {
      deadline.clear();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };

  it.each<[string, RequestListener]>([
    ['no answer comes', () => undefined],
    ['the body does not end', (_, response) => void response.writeHead(200).write('{')],
  ])('ends a request of axios when %s', async (_, answer) => {
    const { error } = await requestWith(new RequestDeadline(100), answer);
    expect(axios.isCancel(error)).toBe(true);
  });

  it('ends a request of axios before it is sent when the application has closed', async () => {
    const received = jest.fn();
    const deadline = new RequestDeadline(LONG_MS, AbortSignal.abort());
    const { error } = await requestWith(deadline, received);
    expect(axios.isCancel(error)).toBe(true);
    expect(received).not.toHaveBeenCalled();
  });

  it('keeps no listener of a request of axios that was answered', async () => {
    const deadline = new RequestDeadline(LONG_MS);
    const outcome = await requestWith(deadline, (_, response) => void response.end('{}'));
    expect(outcome).toEqual({ error: null, listeners: 0 });
  });
});
