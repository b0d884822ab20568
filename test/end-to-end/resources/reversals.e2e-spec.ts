import { beforeEach, describe, expect, it } from '@jest/globals';
import { PlatformRejectedError, ReversalsService, UnknownOutcomeError } from '@tillkit/payments';
import { scripted } from '../../support/scripted.merchant.js';
import { created, json } from '../../support/scripted.platform.js';

const PATH = '/api/v2/reversals';
const CREATE = `POST ${PATH}`;

describe('Reversals', () => {
  const { platform, open } = scripted();
  let service: ReversalsService;

  beforeEach(async () => {
    platform.on(CREATE, created('one', PATH));
    service = (await open()).app.get(ReversalsService);
  });

  it('are created in the format of the platform', async () => {
    const reversal = { transactionReference: 'PAID1', reason: 'stock', metadata: { order: '1' } };
    expect(await service.create(reversal)).toMatchObject({ id: 'one' });
    expect(platform.received(CREATE)).toEqual([
      {
        transaction_reference: 'PAID1',
        reason: 'stock',
        metadata: { order: '1' },
        _links: { callback_url: expect.stringMatching(/\/callbacks\/reversals\/bare-[\w-]+$/) },
      },
    ]);
  });

  it.each([
    ['no transaction reference', 'transactionReference', { reason: 'stock' }],
    ['an empty reason', 'reason', { transactionReference: 'PAID1', reason: ' ' }],
  ])('are refused with %s', async (_, field, input) => {
    await expect(service.create(input as never)).rejects.toMatchObject({
      problems: [expect.objectContaining({ field })],
    });
    expect(platform.count(CREATE)).toBe(0);
  });

  it('throw the words of the platform when it refuses them', async () => {
    const errors = ['You cannot reverse a transaction in Pending Reversal'];
    platform.on(CREATE, json(400, { errors }));
    const refused = service.create({ transactionReference: 'PAID1', reason: 'stock' });
    await expect(refused).rejects.toThrow(PlatformRejectedError);
    await expect(refused).rejects.toThrow(/Pending Reversal/);
  });

  it('are never sent again when the outcome of the create is unknown', async () => {
    platform.on(CREATE, json(500, {}));
    const unknown = service.create({ transactionReference: 'PAID1', reason: 'stock' });
    await expect(unknown).rejects.toThrow(UnknownOutcomeError);
    expect(platform.count(CREATE)).toBe(1);
  });

  it.each(['reversal', 'reversals'])('are read when the platform names them %s', async (type) => {
    const attributes = { status: 'Scheduled', transaction_reference: 'PAID1' };
    platform.on(`GET ${PATH}/one`, json(200, { data: { id: 'one', type, attributes } }));
    expect(await service.get('one')).toMatchObject({
      id: 'one',
      status: 'Scheduled',
      transactionReference: 'PAID1',
      reversalBulkPayment: null,
    });
  });
});
