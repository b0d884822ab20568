import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';
import type { JournalEntry } from './journal-entry.js';
import { excerpt, maskBody, maskHeaders } from './journal-masking.service.js';

describe('The journal of the simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  it('has every request, note and attempt, in order', async () => {
    await platform.client.pay({ callbackUrl: `${platform.receiver.url}/cb` });
    await platform.simulator.idle();
    const entries = platform.simulator.journal.entries();
    expect(entries.map((entry) => [entry.sequence, entry.type])).toEqual([
      [1, 'request'],
      [2, 'request'],
      [3, 'note'],
      [4, 'note'],
      [5, 'attempt'],
    ]);
    expect(entries[1]).toMatchObject({
      method: 'POST',
      url: `${platform.simulator.url}/api/v2/incoming_payments`,
      answer: { status: 201, body: '' },
      faults: [],
    });
    expect(entries[4]).toMatchObject({
      kind: 'callback',
      topic: 'incoming_payment',
      url: `${platform.receiver.url}/cb`,
      status: 200,
      headers: { 'x-kopokopo-signature': expect.stringMatching(/^[0-9a-f]{64}$/) },
      body: expect.stringContaining('"Success"'),
    });
  });

  it('contains no secret and no token', async () => {
    const { client, simulator } = platform;
    await client.form('/oauth/introspect', {
      client_id: simulator.clientId,
      client_secret: simulator.clientSecret,
      token: client.token,
    });
    await client.pay();
    const text = JSON.stringify(simulator.journal.entries());
    expect(text).toContain(simulator.clientId);
    for (const secret of [simulator.clientSecret, client.token, simulator.apiKey])
      expect(text).not.toContain(secret);
  });

  it('keeps the scheme of a masked header', () => {
    expect(
      maskHeaders({
        Authorization: 'Bearer abc',
        Cookie: 'a=b',
        Accept: ['a', 'b'],
        none: undefined,
      }),
    ).toEqual({
      authorization: 'Bearer ***',
      cookie: '***',
      accept: 'a, b',
    });
  });

  it('masks secrets in forms and in JSON', () => {
    expect(maskBody('client_id=a&client_secret=b&token=c')).toBe(
      'client_id=a&client_secret=***&token=***',
    );
    expect(maskBody('{"access_token": "a\\"b", "token_type":"Bearer"}')).toBe(
      '{"access_token": "***", "token_type":"Bearer"}',
    );
  });

  it('cuts a long body', () => {
    expect(excerpt('x'.repeat(100_000))).toHaveLength(65_536 + '… (100000 in all)'.length);
    expect(excerpt(null)).toBe('');
  });

  it('keeps the latest entries only', async () => {
    await platform.stop();
    platform = await startPlatform({ journalSize: 3 });
    for (let count = 0; count < 5; count++) await platform.client.get('/api/v2/polling/none');
    expect(platform.simulator.journal.entries().map(({ sequence }) => sequence)).toEqual([4, 5, 6]);
    expect(platform.simulator.journal.entries(5).map(({ sequence }) => sequence)).toEqual([6]);
  });

  it('keeps no entry when its size is 0, but passes each to its subscribers', async () => {
    await platform.stop();
    platform = await startPlatform({ journalSize: 0 });
    const entries: JournalEntry[] = [];
    platform.simulator.journal.subscribe((entry) => entries.push(entry));
    await platform.client.get('/api/v2/polling/none');
    expect(platform.simulator.journal.entries()).toEqual([]);
    expect(entries).toHaveLength(1);
  });

  it('passes each entry to a subscriber until the subscription ends', async () => {
    const entries: JournalEntry[] = [];
    const leave = platform.simulator.journal.subscribe((entry) => entries.push(entry));
    await platform.client.get('/api/v2/polling/none');
    leave();
    await platform.client.get('/api/v2/polling/none');
    expect(entries).toEqual([expect.objectContaining({ type: 'request' })]);
  });

  it('has a note about a lost delivery', async () => {
    await platform.client.pay({ phone: '+254700000010' });
    await platform.simulator.idle();
    expect(platform.simulator.journal.entries()).toContainEqual(
      expect.objectContaining({
        title: 'delivery lost',
        phone: '+254700000010',
        detail: 'incoming_payment, scenario',
      }),
    );
  });
});
