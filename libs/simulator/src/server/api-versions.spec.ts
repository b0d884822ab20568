import { afterEach, describe, expect, it } from '@jest/globals';
import { idOf, payment } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

describe('The versions of the API', () => {
  const PATHS = ['webhook_subscriptions', 'polling', 'incoming_payments'] as const;
  let platform: Platform;

  afterEach(() => platform.stop());

  const bodyFor = (name: (typeof PATHS)[number]): object => {
    const url = platform.receiver.url;
    switch (name) {
      case 'webhook_subscriptions':
        return {
          event_type: 'buygoods_transaction_received',
          url,
          scope: 'till',
          scope_reference: '514459',
        };
      case 'polling':
        return {
          scope: 'company',
          scope_reference: '',
          from_time: '2026-01-01T00:00:00+03:00',
          to_time: '2026-01-02T00:00:00+03:00',
          _links: { callback_url: url },
        };
      case 'incoming_payments':
        return payment({ callbackUrl: url });
    }
  };

  it.each(PATHS)('are those of the contract for %s in the strict mode', async (name) => {
    platform = await startPlatform();
    const other = name === 'webhook_subscriptions' ? 'v2' : 'v1';
    const answer = await platform.client.post(`/api/${other}/${name}`, bodyFor(name));
    expect(answer.status).toBe(404);
  });

  it.each(PATHS.flatMap((name) => [[name, 'v1'] as const, [name, 'v2'] as const]))(
    'are both there for %s when apiVersions is both, and %s locates what it created',
    async (name, version) => {
      platform = await startPlatform({ apiVersions: 'both' });
      const path = `/api/${version}/${name}`;
      const answer = await platform.client.post(path, bodyFor(name));
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe(
        `${platform.simulator.url}${path}/${idOf(answer)}`,
      );
      expect((await platform.client.get(`${path}/${idOf(answer)}`)).status).toBe(200);
      await platform.simulator.idle();
    },
  );
});
