import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Reloaded } from '../../accounts/account-entry.js';
import { PlatformRejectedError, PlatformUnavailableError } from '../../platform.errors.js';
import { answered, TOKEN_LIFE_MS, TokenReplicas } from '../../testing/tokens.fixture.js';
import type { TokensService } from './tokens.service.js';

describe('the tokens of an account that changes meanwhile', () => {
  let replicas: TokenReplicas;
  let platform: TokenReplicas['platform'];
  let tokens: TokensService;

  beforeEach(() => {
    replicas = new TokenReplicas();
    ({ platform } = replicas);
    tokens = replicas.open();
  });

  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await settle();
  };
  /** Turns of the event loop, which are as many on a busy machine. */
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
  };

  it('are asked for again with the new secret', async () => {
    platform.next.push(answered(401));
    replicas.reload = () => {
      replicas.change({ clientSecret: 'renewed' });
      return 'changed';
    };
    expect(await tokens.get()).toBe('token-1');
    const secrets = platform.requests.map(({ body }) =>
      new URLSearchParams(body?.text).get('client_secret'),
    );
    expect(secrets).toEqual(['secret', 'renewed']);
  });

  it('are renewed with the limits and certificates that it has now', async () => {
    await tokens.get();
    const { http } = replicas.settings;
    replicas.change({ http: { ...http, maxSockets: 7, readTimeoutMs: 4_321 } });
    expect(await tokens.get()).toBe('token-1');
    replicas.runtime.advance(TOKEN_LIFE_MS);
    expect(await tokens.get()).toBe('token-2');
    expect(platform.requests.at(-1)?.timeoutMs).toBe(4_321);
  });

  it.each<[string, Reloaded, number]>([
    ['finds the same settings', 'same', 1],
    ['finds no such account', 'none', 1],
    ['fails', 'unsure', 1],
  ])('are not asked for again when loading it %s', async (_, result, times) => {
    let loads = 0;
    replicas.reload = () => {
      loads += 1;
      return result;
    };
    platform.next.push(answered(400));
    await expect(tokens.get()).rejects.toThrow(PlatformRejectedError);
    expect(platform.tokenRequests).toBe(1);
    expect(loads).toBe(times);
  });

  it('are loaded only after a refusal', async () => {
    let loads = 0;
    replicas.reload = () => {
      loads += 1;
      return 'same';
    };
    platform.next.push(...Array.from({ length: 4 }, () => answered(500)));
    await expect(tokens.get()).rejects.toThrow(PlatformUnavailableError);
    expect(loads).toBe(0);
  });

  it('are of the client that a call began with, and of the new one afterwards', async () => {
    const former = replicas.settings;
    platform.meanwhile = () => replicas.change({ clientId: 'another' });
    expect(await tokens.get()).toBe('token-1');
    expect(await tokens.get()).toBe('token-2');
    expect(tokens.status).toBe('valid');
    expect(await replicas.open().get()).toBe('token-2');
    expect(await replicas.open(former).get()).toBe('token-1');
  });

  it('are asked for once for each client, whichever answer comes first', async () => {
    for (const order of ['former first', 'new first']) {
      const clientId = `client of ${order}`;
      const before = platform.tokenRequests;
      const waiting: (() => void)[] = [];
      platform.meanwhile = () => new Promise<void>((resolve) => waiting.push(resolve));
      replicas.change({ clientId: `former ${clientId}` });
      const first = tokens.get();
      await until(() => waiting.length === 1);
      replicas.change({ clientId });
      const second = tokens.get();
      await until(() => waiting.length === 2);
      const [former, latter] = waiting as [() => void, () => void];
      platform.meanwhile = () => undefined;
      (order === 'former first' ? former : latter)();
      await settle();
      const third = tokens.get();
      former();
      latter();
      const [one, ...others] = await Promise.all([first, second, third]);
      expect(new Set(others).size).toBe(1);
      expect(others).not.toContain(one);
      expect(platform.tokenRequests - before).toBe(2);
    }
  });

  it('are not used after the client has changed', async () => {
    await tokens.get();
    replicas.change({ clientId: 'another' });
    expect(tokens.status).toBe('none');
    expect(await tokens.get()).toBe('token-2');
  });

  it('are asked about at the application that a call began with', async () => {
    platform.next.push(answered(503));
    platform.meanwhile = () => replicas.change({ clientId: 'another' });
    await tokens.introspect('a-token');
    const clients = platform.requests.map(({ body }) =>
      new URLSearchParams(body?.text).get('client_id'),
    );
    expect(clients).toEqual(['id', 'id']);
  });
});
