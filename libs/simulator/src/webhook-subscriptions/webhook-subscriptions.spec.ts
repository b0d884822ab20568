import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PATH = '/api/v1/webhook_subscriptions';

describe('A webhook subscription', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
  });

  afterAll(() => platform.stop());

  const subscription = (changes: Record<string, unknown> = {}) => ({
    event_type: 'buygoods_transaction_received',
    url: 'https://shop.example/webhooks',
    scope: 'till',
    scope_reference: '514459',
    ...changes,
  });

  it('is created with 201 and a location, and can be read', async () => {
    const created = await platform.client.post(PATH, subscription());
    const location = created.headers.get('location')!;
    expect(created).toMatchObject({ status: 201, body: '' });
    expect((await platform.client.get(location.slice(platform.simulator.url.length))).body).toEqual(
      {
        data: {
          id: location.split('/').at(-1),
          type: 'webhook_subscription',
          attributes: {
            event_type: 'buygoods_transaction_received',
            webhook_uri: 'https://shop.example/webhooks',
            status: 'Active',
            scope: 'Till',
            scope_reference: '514459',
          },
        },
      },
    );
  });

  it.each([
    [
      'an event type that it does not know',
      { event_type: 'moon_landed' },
      400,
      'event_type is not a known event type',
    ],
    ['a plain http URL', { url: 'http://shop.example/' }, 400, 'url must be an HTTPS URL'],
    ['another scope', { scope: 'shop' }, 400, 'scope must be till or company'],
    [
      'a scope that the event type does not have',
      { event_type: 'customer_created' },
      400,
      'scope of customer_created must be company',
    ],
    ['a till scope without a till', { scope_reference: '' }, 400, 'scope_reference is missing'],
    [
      'a till that is not known',
      { scope_reference: '999999' },
      422,
      'scope_reference 999999 is not a known till',
    ],
    [
      'a company scope with a till',
      { scope: 'company' },
      400,
      'scope_reference must be empty for the scope company',
    ],
    [
      'a Daraja payload of another event type',
      { event_type: 'buygoods_transaction_reversed', enable_daraja_payload: true },
      400,
      'enable_daraja_payload is not allowed for buygoods_transaction_reversed',
    ],
    [
      'a Daraja wish that is no boolean',
      { enable_daraja_payload: 'yes' },
      400,
      'enable_daraja_payload must be true or false',
    ],
  ])('is refused for %s', async (_, changes, status, message) => {
    expect((await platform.client.post(PATH, subscription(changes))).body).toEqual({
      error_code: status,
      error_message: message,
    });
  });

  it.each([null, ''])(
    'is accepted with the scope company and %j as its reference',
    async (reference) => {
      const answer = await platform.client.post(
        PATH,
        subscription({ scope: 'company', scope_reference: reference }),
      );
      expect(answer.status).toBe(201);
    },
  );

  it('is answered 404 when its id is unknown', async () => {
    expect((await platform.client.get(`${PATH}/none`)).status).toBe(404);
  });
});
