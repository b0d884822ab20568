import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { idOf } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

const PATH = '/api/v1/transaction_sms_notifications';

describe('An SMS notification', () => {
  let platform: Platform;
  let eventId: string;

  beforeEach(async () => {
    platform = await startPlatform();
    await platform.subscribe();
    await platform.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 100,
    });
    eventId = platform.receiver.received[0]!.body.id as string;
    platform.receiver.received.length = 0;
  });

  afterEach(() => platform.stop());

  const request = (changes: Record<string, unknown> = {}) => ({
    webhook_event_reference: eventId,
    message: 'Asante!',
    _links: { callback_url: `${platform.receiver.url}/sms` },
    ...changes,
  });

  it('reaches the phone that paid, its result is delivered, and its read returns the same', async () => {
    const created = await platform.client.post(PATH, request());
    expect(created).toMatchObject({ status: 201, body: '' });
    await platform.simulator.idle();
    const { body } = platform.receiver.received[0]!;
    expect(body).toEqual({
      data: {
        id: idOf(created),
        type: 'transaction_sms_notification',
        attributes: {
          status: 'Success',
          message: 'Asante!',
          webhook_event_reference: eventId,
          _links: {
            callback_url: `${platform.receiver.url}/sms`,
            self: created.headers.get('location'),
          },
        },
      },
    });
    expect((await platform.client.get(`${PATH}/${idOf(created)}`)).body).toEqual(body);
    expect(platform.simulator.handset('+254700000001').inbox()).toEqual([
      { at: expect.any(String), from: '514459', text: 'Asante!' },
    ]);
  });

  it('is refused with 422 for an unknown event', async () => {
    expect(
      (await platform.client.post(PATH, request({ webhook_event_reference: 'none' }))).body,
    ).toEqual({
      error_code: 422,
      error_message:
        'webhook_event_reference none is not the id of a buygoods_transaction_received event',
    });
  });

  it('is refused for the event of a reversal', async () => {
    await platform.subscribe('buygoods_transaction_reversed');
    const [transaction] = platform.simulator.transactions();
    await platform.simulator.reverse(transaction!.reference);
    const { id } = platform.receiver.received[0]!.body as { id: string };
    expect(
      (await platform.client.post(PATH, request({ webhook_event_reference: id }))).status,
    ).toBe(422);
  });

  it.each([
    ['message', { message: '' }, 'message must be a non-empty string'],
    ['callback', { _links: {} }, '_links.callback_url is missing'],
  ])('is refused without %s', async (_, changes, message) => {
    expect((await platform.client.post(PATH, request(changes))).body.error_message).toBe(message);
  });

  it('is answered 404 when its id is unknown', async () => {
    expect((await platform.client.get(`${PATH}/none`)).status).toBe(404);
  });
});
