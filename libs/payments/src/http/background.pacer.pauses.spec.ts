import { expect, it } from '@jest/globals';
import {
  PlatformRateLimitedError,
  PlatformRejectedError,
  PlatformUnavailableError,
} from '../payments.errors.js';
import { resolveSettings } from '../payments.settings.js';
import { BackgroundPacer } from './background.pacer.js';
import { ClosingSignal } from './closing.signal.js';
const ANSWER = { operation: 'read', status: 503, platformMessages: [] };
const pacer = (requestsPerSecond: number) =>
  new BackgroundPacer(
    new ClosingSignal(),
    resolveSettings(
      {
        baseUrl: 'https://p.example',
        clientId: 'i',
        clientSecret: 's',
        publicUrl: 'https://s.example',
        apiKeys: ['k'],
        reconciliation: { requestsPerSecond },
      },
      () => undefined,
    ),
  );
it('background requests that wait are not made once the platform asked for fewer requests', async () => {
  const paced = pacer(20);
  let made = 0;
  const first = paced
    .run('overdue', async () => {
      throw new PlatformRateLimitedError({ ...ANSWER, status: 429 }, 60_000);
    })
    .catch(() => undefined);
  const rest = [1, 2, 3].map(() =>
    paced.run('overdue', async () => (made += 1)).catch(() => undefined),
  );
  await Promise.all([first, ...rest]);
  expect(made).toBe(0);
});
it('an answer that refuses a background request ends a row of failures', async () => {
  const paced = pacer(1e6);
  const fail = () =>
    paced
      .run('overdue', async () => {
        throw new PlatformUnavailableError(ANSWER);
      })
      .catch(() => undefined);
  for (let n = 0; n < 4; n += 1) await fail();
  await paced
    .run('overdue', async () => {
      throw new PlatformRejectedError({ ...ANSWER, status: 404 });
    })
    .catch(() => undefined);
  await fail();
  expect(await paced.run('overdue', async () => 'answer')).toBe('answer');
});
