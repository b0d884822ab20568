import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Reloaded } from '../../known.accounts.js';
import {
  PlatformRejectedError,
  PlatformUnauthorizedError,
  PlatformUnavailableError,
} from '../../payments.errors.js';
import { answered, TokenReplicas } from '../../testing/tokens.fixture.js';
import type { TokensService } from './tokens.service.js';

describe('the tokens of an account that changes meanwhile', () => {
  let replicas: TokenReplicas;
  let platform: TokenReplicas['platform'];
  let settings: TokenReplicas['settings'];
  let shutdown: TokenReplicas['shutdown'];
  let tokens: TokensService;

  beforeEach(() => {
    replicas = new TokenReplicas();
    ({ platform, settings, shutdown } = replicas);
    tokens = replicas.open();
  });

  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await settle();
  };
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

  it('are asked for again with the new secret', async () => {
    platform.next.push(answered(401));
    replicas.reload = () => {
      settings.clientSecret = 'renewed';
      return 'changed';
    };
    expect(await tokens.get()).toBe('token-1');
    const secrets = platform.requests.map(({ body }) =>
      new URLSearchParams(body?.text).get('client_secret'),
    );
    expect(secrets).toEqual(['secret', 'renewed']);
  });

  it.each<[Reloaded, number]>([
    ['same', 1],
    ['none', 1],
    ['unsure', 2],
  ])('are not asked for again when loading it gives %s', async (result, times) => {
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

  it('are not asked for again when the application closes before the account can be loaded', async () => {
    let loads = 0;
    replicas.reload = () => {
      loads += 1;
      shutdown.close();
      return 'unsure';
    };
    platform.next.push(answered(401));
    await expect(tokens.get()).rejects.toThrow(PlatformUnauthorizedError);
    expect({ loads, requests: platform.tokenRequests }).toEqual({ loads: 1, requests: 1 });
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

  it('are of the new client, and the former one is not shared', async () => {
    const former = { ...settings };
    platform.meanwhile = () => {
      settings.clientId = 'another';
      platform.meanwhile = () => undefined;
    };
    expect(await tokens.get()).toBe('token-2');
    expect(tokens.status).toBe('valid');
    expect(await replicas.open().get()).toBe('token-2');
    expect(await replicas.open(former).get()).toBe('token-3');
  });

  it('are asked for once for each client, whichever answer comes first', async () => {
    for (const order of ['former first', 'new first']) {
      const clientId = `client of ${order}`;
      const before = platform.tokenRequests;
      const waiting: (() => void)[] = [];
      platform.meanwhile = () => new Promise<void>((resolve) => waiting.push(resolve));
      settings.clientId = `former ${clientId}`;
      const first = tokens.get();
      await until(() => waiting.length === 1);
      settings.clientId = clientId;
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
      expect(new Set(others)).toEqual(new Set([one]));
      expect(platform.tokenRequests - before).toBe(2);
    }
  });

  it('are not used after the client has changed', async () => {
    await tokens.get();
    settings.clientId = 'another';
    expect(tokens.status).toBe('none');
    expect(await tokens.get()).toBe('token-2');
  });

  it('are not sent to another application of the platform', async () => {
    platform.next.push(answered(503));
    platform.meanwhile = () => {
      settings.clientId = 'another';
    };
    await expect(tokens.introspect('a-token')).rejects.toThrow(
      /^The account has another application of the platform now/,
    );
    expect(platform.requests).toHaveLength(1);
  });
});
