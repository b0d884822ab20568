import { describe, expect, it } from '@jest/globals';
import {
  PlatformRateLimitedError,
  PlatformRedirectError,
  PlatformRejectedError,
  PlatformResponseError,
  PlatformTimeoutError,
  PlatformUnauthorizedError,
  PlatformUnavailableError,
} from '../platform.errors.js';
import type { PlatformClient } from './platform-client.js';
import { getResource } from './resource-requests.js';
import { type ResourceTable, text } from './resource-table.js';

const answer = (status: number): { operation: string; status: number; platformMessages: [] } => ({
  operation: 'get',
  status,
  platformMessages: [],
});
const FOUND = { data: { id: 'one', type: 'polling', attributes: { status: 'Success' } } };
const MISSING = new PlatformRejectedError(answer(404));

const TABLE = {
  noun: 'polling',
  path: '/api/{version}/polling',
  version: 'polling',
  types: ['polling'],
  fields: { status: text },
} satisfies ResourceTable;

describe('A resource that the platform has in two versions', () => {
  const asked: string[] = [];

  const read = (answers: (Error | object)[], id = 'one'): Promise<unknown> => {
    asked.length = 0;
    const client = {
      read: async (_: string, path: string) => {
        asked.push(path);
        const [next] = answers.splice(0, 1);
        if (next instanceof Error) throw next;
        return next;
      },
      clock: { latestTime: () => undefined },
      settings: { current: { apiVersions: { polling: 'v2' } } },
    };
    return getResource(client as unknown as PlatformClient, TABLE, id);
  };

  it('is read in the configured version only, if it is there', async () => {
    expect(await read([FOUND])).toMatchObject({ id: 'one', status: 'Success' });
    expect(asked).toEqual(['/api/v2/polling/one']);
  });

  it('is read in the other version if the configured one does not have it', async () => {
    expect(await read([MISSING, FOUND])).toMatchObject({ id: 'one', status: 'Success' });
    expect(asked).toEqual(['/api/v2/polling/one', '/api/v1/polling/one']);
  });

  it.each([
    ['404', new PlatformRejectedError(answer(404))],
    ['403', new PlatformRejectedError(answer(403))],
    ['410', new PlatformRejectedError(answer(410))],
    ['401', new PlatformUnauthorizedError(answer(401))],
    ['a redirect', new PlatformRedirectError(answer(302))],
    ['a page', new PlatformResponseError('get', 200, 'it is a page.')],
  ])('is missing if the other version answers with %s', async (_, error) => {
    await expect(read([MISSING, error])).rejects.toBe(MISSING);
  });

  it.each([
    ['503', new PlatformUnavailableError(answer(503))],
    ['429', new PlatformRateLimitedError(answer(429), null)],
    ['no answer in time', new PlatformTimeoutError('get', new Error('late'))],
  ])('is not missing if the other version fails with %s', async (_, error) => {
    await expect(read([MISSING, error])).rejects.toBe(error);
  });

  it.each([
    ['403', new PlatformRejectedError(answer(403))],
    ['500', new PlatformUnavailableError(answer(500))],
    ['no answer in time', new PlatformTimeoutError('get', new Error('late'))],
  ])('is not looked for in the other version after %s', async (_, error) => {
    await expect(read([error])).rejects.toBe(error);
    expect(asked).toHaveLength(1);
  });

  it('with an id that could change the URL is refused before anything is asked', async () => {
    await expect(read([FOUND], '../polling')).rejects.toMatchObject({
      code: 'PAYMENTS_VALIDATION',
    });
    expect(asked).toEqual([]);
  });
});
