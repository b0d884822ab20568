import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PATH = '/api/v2/polling';

describe('A polling request', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const at = (time: string) => Date.parse(`2026-11-20T${time}+03:00`);
  const request = (changes: Record<string, unknown> = {}) => ({
    scope: 'company',
    scope_reference: '',
    from_time: '2026-11-20T10:00:00+03:00',
    to_time: '2026-11-20T11:00:00.000+03:00',
    _links: { callback_url: `${platform.receiver.url}/polling` },
    ...changes,
  });
  const pay = (reference: string, time: string, tillNumber = '514459') =>
    platform.simulator.payTill({
      tillNumber,
      phoneNumber: '+254700000001',
      amount: 100,
      reference,
      originatedAt: at(time),
    });
  const references = (body: unknown) => {
    const { data } = body as {
      data: { attributes: { transactions: { resource: { reference: string } }[] } };
    };
    return data.attributes.transactions.map(({ resource }) => resource.reference);
  };

  it('delivers the transactions of its window in order, and its read returns the same', async () => {
    await pay('LATE', '10:59:59');
    await pay('EARLY', '10:00:00');
    await pay('BEFORE', '09:59:59');
    await pay('AFTER', '11:00:01');
    const created = await platform.client.post(PATH, request());
    expect(created).toMatchObject({ status: 201, body: '' });
    await platform.simulator.idle();
    const { body } = platform.receiver.received[0]!;
    expect(body.data).toMatchObject({
      id: idOf(created),
      type: 'polling',
      attributes: {
        status: 'Success',
        from_time: '2026-11-20T10:00:00+03:00',
        to_time: '2026-11-20T11:00:00.000+03:00',
        scope: 'Company',
        scope_reference: '',
        _links: {
          callback_url: `${platform.receiver.url}/polling`,
          self: created.headers.get('location'),
        },
      },
    });
    expect(references(body)).toEqual(['EARLY', 'LATE']);
    expect((await platform.client.get(`${PATH}/${idOf(created)}`)).body).toEqual(body);
    expect((await platform.client.get(`${PATH}/${idOf(created)}`)).body).toEqual(body);
  });

  it('distinguishes both kinds of transactions, and reversed ones', async () => {
    await pay('BOUGHT', '10:10:00');
    await pay('REVERSED', '10:20:00');
    await platform.simulator.reverse('REVERSED');
    await platform.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 5,
      sendingTill: 'Corner Shop',
      originatedAt: at('10:30:00'),
    });
    await platform.client.post(PATH, request());
    await platform.simulator.idle();
    const items = platform.receiver.received[0]!.body.data.attributes.transactions;
    expect(items).toMatchObject([
      {
        type: 'Buygoods Transaction',
        resource: { status: 'Received', sender_phone_number: '+254700000001' },
      },
      { type: 'Buygoods Transaction', resource: { status: 'Reversed' } },
      {
        type: 'External Till to Till Transaction',
        resource: { status: 'Complete', sending_till: 'Corner Shop' },
      },
    ]);
  });

  it('with the scope till lists only the transactions of that till', async () => {
    await pay('OURS', '10:10:00');
    await pay('OTHER', '10:20:00', '000123');
    await platform.client.post(PATH, request({ scope: 'till', scope_reference: '000123' }));
    await platform.simulator.idle();
    const { body } = platform.receiver.received[0]!;
    expect(references(body)).toEqual(['OTHER']);
    expect(body.data.attributes).toMatchObject({ scope: 'Till', scope_reference: '000123' });
  });

  it('is Pending and empty until it has a result', async () => {
    await platform.stop();
    platform = await startPlatform({ timings: { polling: 5_000 } });
    const id = idOf(await platform.client.post(PATH, request()));
    const { body } = await platform.client.get(`${PATH}/${id}`);
    expect(body.data.attributes).toMatchObject({ status: 'Pending', transactions: [] });
    await platform.simulator.clock.advance(5_000);
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it.each([
    ['another scope', { scope: 'shop' }, 400, 'scope must be company or till'],
    [
      'a time without an offset',
      { from_time: '2026-11-20T10:00:00' },
      400,
      'from_time must be an ISO 8601 time with an offset',
    ],
    [
      'a day that does not exist',
      { to_time: '2026-02-30T10:00:00Z' },
      400,
      'to_time must be an ISO 8601 time with an offset',
    ],
    [
      'a window that ends before it begins',
      { to_time: '2026-11-20T09:00:00+03:00' },
      400,
      'from_time must be before to_time',
    ],
    [
      'an empty window',
      { to_time: '2026-11-20T10:00:00+03:00' },
      400,
      'from_time must be before to_time',
    ],
    ['a till scope without a till', { scope: 'till' }, 400, 'scope_reference is missing'],
    [
      'a till that is not known',
      { scope: 'till', scope_reference: '9' },
      422,
      'scope_reference 9 is not a known till',
    ],
    [
      'a company scope with a till',
      { scope_reference: '514459' },
      400,
      'scope_reference must be empty for the scope company',
    ],
    [
      'a plain http callback',
      { _links: { callback_url: 'http://a.example' } },
      400,
      '_links.callback_url must be an HTTPS URL',
    ],
  ])('is refused for %s', async (_, changes, status, message) => {
    expect((await platform.client.post(PATH, request(changes))).body).toEqual({
      error_code: status,
      error_message: message,
    });
  });

  it('is answered 404 when its id is unknown', async () => {
    expect((await platform.client.get(`${PATH}/none`)).status).toBe(404);
  });
});
