import { describe, expect, it } from '@jest/globals';
import { parseDelivery, type Message } from './delivery-parser.js';

const read = (
  body: unknown,
  accepted: Record<string, string[]> = {},
  latest?: number,
): ReturnType<typeof parseDelivery> =>
  parseDelivery(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), {
    accepted,
    latest,
  });

const MONEY = {
  id: 'id',
  reference: 'REF',
  status: 'Received',
  amount: '100.0',
  currency: 'KES',
  till_number: '514459',
};

const webhook = (resource: unknown, envelope: object = {}): object => ({
  topic: 'buygoods_transaction_received',
  id: 'event-1',
  created_at: '2026-01-20T22:45:12+03:00',
  event: { type: 'Buygoods Transaction', resource },
  ...envelope,
});

describe('a webhook', () => {
  it.each<[string, unknown, string | null]>([
    ['no JSON', 'not JSON', null],
    ['nothing', '', null],
    ['two byte order marks', '\uFEFF\uFEFF{}', null],
    ['a list', [1], null],
    ['null', null, null],
    ['an empty object', {}, null],
    ['a topic that is no text and no data', { topic: 7 }, null],
    ['a topic of tomorrow', webhook({}, { topic: 'till_opened' }), 'till_opened'],
    ['a topic of 5,000 characters', webhook({}, { topic: 'x'.repeat(5_000) }), null],
    [
      'a result whose type has 5,000 characters',
      { data: { id: '1', type: 'x'.repeat(5_000), attributes: {} } },
      null,
    ],
    ['no event', webhook({}, { event: null }), 'buygoods_transaction_received'],
    ['no transaction', webhook('text'), 'buygoods_transaction_received'],
    ['data that is no resource', { data: { type: 'send_money' } }, 'send_money'],
    ['data with a type that is no text', { data: { type: {} } }, null],
  ])('with %s is unrecognised, and the result has its topic if there is one', (_, body, topic) => {
    expect(read(body)).toEqual({ kind: 'unrecognised', topic });
  });

  it.each(['reference', 'id', 'sender_first_name', 'till_number', 'status', 'currency', 'amount'])(
    'whose %s has half a million characters is read at once, and has at most its beginning',
    (field) => {
      const read = parseDelivery(
        Buffer.from(JSON.stringify(webhook({ ...MONEY, [field]: '7'.repeat(500_000) }))),
        { accepted: {} },
      );
      const { transaction } = read as { transaction?: object };
      expect(JSON.stringify({ ...transaction, raw: null }).length).toBeLessThan(5_000);
      if (field === 'reference' || field === 'id')
        expect(transaction).toMatchObject({ [field]: null });
    },
  );

  describe('with the field names of an older format', () => {
    const received = { status: 'Received', reference: 'ONE' };

    it.each([
      [
        'a number under sender_msisdn',
        { sender_msisdn: '254700000001' },
        { senderPhoneNumber: '+254700000001' },
      ],
      [
        'a number under sender_phone_number before that under sender_msisdn',
        { sender_msisdn: '254700000002', sender_phone_number: '+254700000001' },
        { senderPhoneNumber: '+254700000001' },
      ],
      [
        'a number under sender_msisdn beside a null',
        { sender_msisdn: '254700000001', sender_phone_number: null },
        { senderPhoneNumber: '+254700000001' },
      ],
      [
        'a time under reversal_time',
        { reversal_time: '2026-01-21T08:00:00+03:00' },
        { originationTime: '2026-01-21T08:00:00+03:00' },
      ],
      [
        'a time under origination_time before that under reversal_time',
        {
          reversal_time: '2026-01-21T08:00:00+03:00',
          origination_time: '2026-01-20T08:00:00+03:00',
        },
        { originationTime: '2026-01-20T08:00:00+03:00' },
      ],
    ])('is read with %s', (_, fields, transaction) => {
      expect(read(webhook({ ...received, ...fields }))).toMatchObject({ transaction });
    });

    it.each([
      ['bank_branch_id', 'bank_branch_ref', 'bankBranchRef'],
      ['transfer_method', 'settlement_method', 'settlementMethod'],
      ['msisdn', 'phone_number', 'phoneNumber'],
    ])('has %s of the destination of a settlement where %s is absent', (older, present, name) => {
      const settled = (resource: object): unknown => {
        const destination = { type: 'Bank Account', resource };
        const parts = { id: 'one', status: 'Transferred', amount: '1.0', currency: 'KES' };
        const topic = 'settlement_transfer_completed';
        const message = read(webhook({ ...parts, destination }, { topic })) as Message & {
          kind: 'notice';
        };
        const event = message.notice.event({ account: 'a', via: 'webhook' }, 'one', null);
        return (event.payload as unknown as { settlement: unknown }).settlement;
      };
      const bank = { bank_id: 'bank-1', [older]: 'old' };
      expect(settled(bank)).toMatchObject({
        destination: { [name]: 'old' },
        raw: { destination: { resource: { bank_id: 'bank-1' } } },
      });
      expect(settled({ ...bank, [present]: 'new' })).toMatchObject({
        destination: { [name]: 'new' },
      });
    });

    it('has msisdn of a customer', () => {
      const message = read(webhook({ msisdn: '+254700000001' }, { topic: 'customer_created' }));
      expect(message).toMatchObject({ kind: 'notice' });
      const { notice } = message as Message & { kind: 'notice' };
      const { payload } = notice.event({ account: 'a', via: 'webhook' }, 'one', null);
      expect(payload).toMatchObject({ customer: { phoneNumber: '+254700000001' } });
    });
  });

  it('nested deeper than 64 levels is unrecognised, because copying or storing it would fail', () => {
    const nested = (levels: number): object => {
      const lists = (depth: number): unknown => (depth === 0 ? '[[{' : [lists(depth - 1)]);
      // The body, its event and its resource are three levels.
      return webhook({ status: 'Received', reference: 'ONE', more: lists(levels - 3) });
    };
    expect(read(nested(64))).toMatchObject({ kind: 'transaction' });
    expect(read(nested(65))).toEqual({ kind: 'unrecognised', topic: null });
    expect(read(`${'['.repeat(25_000)}"\\"]"${']'.repeat(25_000)}`).kind).toBe('unrecognised');
  });

  it.each([
    ['buygoods_transaction_received', 'Received', 'received money', false],
    ['b2b_transaction_received', 'Complete', 'received money', false],
    ['buygoods_transaction_reversed', 'Reversed', 'a reversal', true],
    ['buygoods_transaction_reversed', null, 'a reversal', true],
    ['card_transaction_voided', 'Voided', 'a reversal', true],
  ])('of topic %s with the status %s shows %s', (topic, status, _, reversal) => {
    expect(read(webhook({ status }, { topic }))).toMatchObject({ kind: 'transaction', reversal });
  });

  it.each([
    ['buygoods_transaction_received', 'Failed'],
    ['buygoods_transaction_received', 'Pending'],
    ['buygoods_transaction_received', 'Cancelled'],
    ['buygoods_transaction_received', 'Reversed'],
    ['buygoods_transaction_received', null],
    ['buygoods_transaction_reversed', 'Received'],
    ['card_transaction_voided', 'Received'],
  ])('of topic %s with the status %s is no proof', (topic, status) => {
    expect(read(webhook({ status, reference: 'ONE' }, { topic }))).toEqual({
      kind: 'unproven',
      topic,
      status,
      reference: 'ONE',
    });
  });

  it.each([
    ['buygoods_transaction_received', 'of the kind buygoods', 'Received', 'buygoods'],
    ['b2b_transaction_reversed', 'of the kind b2b', 'Reversed', 'b2b'],
    ['card_transaction_voided', 'of the kind card', 'Voided', 'card'],
    ['paybill_transaction_received', 'of an unknown kind', 'Received', null],
  ])('of topic %s shows money %s, whatever its type says', (topic, _, status, kind) => {
    const event = { type: 'Buygoods Transaction', resource: { status } };
    expect(read(webhook({}, { topic, event }))).toMatchObject({ transaction: { kind } });
  });

  it.each([
    ['card_transaction_received', 'Authorised', 'proof', 'transaction'],
    ['card_transaction_received', 'Received', 'proof', 'transaction'],
    ['card_transaction_received', 'authorised', 'proof', 'transaction'],
    ['card_transaction_voided', 'Authorised', 'no proof', 'unproven'],
    ['buygoods_transaction_received', 'Authorised', 'no proof', 'unproven'],
  ])(
    'of topic %s with the status %s is %s when the host accepts Authorised for cards',
    (topic, status, _, kind) => {
      const accepted = { card_transaction_received: ['Authorised'] };
      expect(read(webhook({ status }, { topic }), accepted).kind).toBe(kind);
    },
  );

  it.each<[string, unknown, boolean | null]>([
    ['was settled', true, true],
    ['was not settled', false, false],
    ['may have been settled, when that is a text', 'true', null],
    ['may have been settled, when that is missing', undefined, null],
  ])('shows that the money of a card %s', (_, settled, read_) => {
    const topic = 'card_transaction_received';
    const body = webhook({ status: 'Received', customer_cc_number: '1', settled }, { topic });
    expect(read(body)).toMatchObject({ transaction: { settled: read_, cardNumber: '1' } });
  });

  it.each([
    ['customer_created', null, 'causes an event', 'notice'],
    ['customer_created', 'Any', 'causes an event', 'notice'],
    ['settlement_transfer_completed', 'Transferred', 'causes an event', 'notice'],
    ['settlement_transfer_completed', 'Pending', 'is no proof', 'unproven'],
    ['settlement_transfer_completed', null, 'is no proof', 'unproven'],
    ['m2m_transaction_received', 'Complete', 'causes an event', 'notice'],
    ['m2m_transaction_received', 'Reversed', 'is no proof', 'unproven'],
    ['m2m_transaction_received', null, 'is no proof', 'unproven'],
  ])('of topic %s with the status %s %s', (topic, status, _, kind) => {
    expect(read(webhook({ id: 'one', status }, { topic })).kind).toBe(kind);
  });

  it.each([
    ['its own id', { id: 'own' }, 'https://other.example/transfer_batch/linked', 'own'],
    ['the id in its link', {}, 'https://other.example/transfer_batch/linked', 'linked'],
    ['no id, if the link ends in the collection', {}, 'https://a.example/api/transfer_batch', null],
    ['no id, if there is no link', {}, undefined, null],
  ])('about a settlement has %s', (_, fields, resource, id) => {
    const envelope = { topic: 'settlement_transfer_completed', _links: { resource } };
    expect(read(webhook({ status: 'Transferred', ...fields }, envelope))).toMatchObject({
      notice: { id },
    });
  });

  it.each([
    ['a short code', '600123'],
    ['a hash in base64', 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='],
    ['a masked number', '+2547****001'],
  ])('with %s as the payer shows no phone number', (_, phone) => {
    const body = webhook({ status: 'Received', reference: 'ONE', sender_phone_number: phone });
    expect(read(body)).toMatchObject({
      transaction: { senderPhoneNumber: null, hashedSenderPhone: null },
    });
  });

  it('has the time of its transaction, or its own time when that is unreadable', () => {
    const at = (body: object): unknown => (read(body) as { at: Date | null }).at?.toISOString();
    expect(at(webhook({ status: 'Received', origination_time: '2026-01-20T10:00:00+03:00' }))).toBe(
      '2026-01-20T07:00:00.000Z',
    );
    expect(at(webhook({ status: 'Received', origination_time: '20 January' }))).toBe(
      '2026-01-20T19:45:12.000Z',
    );
    expect(at(webhook({ status: 'Received' }, { created_at: 'now' }))).toBeUndefined();
  });

  it('has a till number as every store gives it back, so that two reports of one money have one till', () => {
    const message = read(webhook({ ...MONEY, till_number: '51\u00004459\ud800' }));
    expect(message).toMatchObject({ transaction: { tillNumber: '51␀4459\ufffd' } });
  });

  it('without an event id is read', () => {
    expect(read(webhook({ status: 'Received', reference: 'ONE' }, { id: {} }))).toMatchObject({
      eventId: null,
      transaction: { reference: 'ONE' },
    });
  });
});

describe('a webhook in the Daraja format', () => {
  const daraja = (changes: object = {}): object => ({
    TransactionType: 'Buy Goods',
    TransID: ' OJM6Q1W84K ',
    TransTime: '20260120224512',
    TransAmount: '75.50',
    BusinessShortCode: 514459,
    MSISDN: '254700000001',
    FirstName: 'Jane',
    ...changes,
  });
  const transaction = (changes: object): unknown =>
    (read(daraja(changes)) as { transaction: unknown }).transaction;

  it('is no proof with a type other than received money', () => {
    expect(read(daraja({ TransactionType: 'Buy Goods Reversal' }))).toEqual({
      kind: 'unproven',
      topic: 'daraja',
      status: 'Buy Goods Reversal',
      reference: 'OJM6Q1W84K',
    });
  });

  it('is read with Nairobi time and Kenyan shillings', () => {
    expect(read(daraja())).toMatchObject({
      kind: 'transaction',
      topic: 'daraja',
      eventId: null,
      reversal: false,
      at: new Date('2026-01-20T19:45:12Z'),
      transaction: {
        reference: 'OJM6Q1W84K',
        tillNumber: '514459',
        amount: '75.50',
        currency: 'KES',
        senderFirstName: 'Jane',
        senderLastName: null,
      },
    });
  });

  it.each<[string, unknown, string | null, string | null]>([
    ['text', '254700000001', '+254700000001', null],
    ['a number', 254700000001, '+254700000001', null],
    ['a hash', 'A'.repeat(64), null, 'A'.repeat(64)],
    ['nothing', undefined, null, null],
    ['something else', { number: 1 }, null, null],
  ])('is read with the payer as %s', (_, MSISDN, senderPhoneNumber, hashedSenderPhone) => {
    expect(transaction({ MSISDN })).toMatchObject({ senderPhoneNumber, hashedSenderPhone });
  });

  it.each([
    ['its name', { FirstName: 'Corner Shop', MSISDN: '600123' }, 'Corner Shop'],
    ['its number when it has no name', { FirstName: ' ', MSISDN: '600123' }, '600123'],
    ['neither name nor number', { FirstName: null, MSISDN: 'bm8gdGlsbCBudW1iZXI=' }, null],
  ])('between tills shows an organisation by %s, and no person', (_, changes, sendingTill) => {
    const TransactionType = 'Business Payment';
    expect(transaction({ TransactionType, LastName: 'Doe', ...changes })).toMatchObject({
      kind: 'b2b',
      sendingTill,
      senderFirstName: null,
      senderLastName: null,
      senderPhoneNumber: null,
      hashedSenderPhone: null,
    });
  });

  it.each(['254700000001', '+254700000001'])(
    'between tills shows a person by the phone number %s',
    (MSISDN) => {
      const TransactionType = 'Business Payment';
      expect(transaction({ TransactionType, FirstName: '', MSISDN })).toMatchObject({
        sendingTill: null,
        senderPhoneNumber: '+254700000001',
      });
    },
  );

  it.each([
    ['an amount that is no amount', { TransAmount: 'much' }, { amount: null }],
    ['a time that is no time', { TransTime: '20269920224512' }, { originationTime: null }],
    ['an empty reference', { TransID: ' ' }, { reference: null }],
    ['a reference that is no text', { TransID: null }, { reference: null }],
  ])('with %s is read without that value', (_, changes, expected) => {
    expect(transaction(changes)).toMatchObject(expected);
  });
});

describe('a callback', () => {
  const result = (attributes: object): object => ({
    data: { id: 'one', type: 'incoming_payment', attributes },
  });

  it.each<[string, object, string | undefined]>([
    ['initiated', { initiation_time: '2026-01-20T10:00:00Z' }, '2026-01-20T10:00:00.000Z'],
    ['created', { created_at: '2026-01-20T11:00:00Z' }, '2026-01-20T11:00:00.000Z'],
    ['neither initiated nor created', {}, undefined],
  ])('is read with the time at which it was %s', (_, attributes, time) => {
    const message = read(result(attributes));
    expect(message).toMatchObject({ kind: 'result', resource: { type: 'incoming_payment' } });
    expect((message as { at: Date | null }).at?.toISOString()).toBe(time);
  });

  it('is read with one byte order mark before it', () => {
    expect(read(`\uFEFF${JSON.stringify(result({}))}`).kind).toBe('result');
  });
});
