import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PlatformRejectedError } from '../../platform.errors.js';
import { DAY, HOUR, MoneyOut } from '../../testing/money-out.fixture.js';
import { aDisbursement, aTill, aWallet } from '../../testing/payouts.fixture.js';
import type { SendMoneyDestination } from '../../platform/resources/create-send-money.dto.js';
import type { PayoutsService } from './payouts.service.js';
import type { RequestPayout } from './payout.js';

Logger.overrideLogger(false);

const LIMITS = { KES: { perPayout: '1000', perDay: '1500', approveFrom: '500' } };

describe('a payout', () => {
  let money: MoneyOut;
  let sent: unknown[];
  let payouts: PayoutsService;

  beforeEach(() => {
    money = new MoneyOut();
    ({ sent, payouts } = money);
  });

  afterEach(() => money.close());

  const asked = (changes: Partial<RequestPayout> = {}): RequestPayout => ({
    idempotencyKey: 'invoice-1',
    currency: 'KES',
    destinations: [aWallet()],
    ...changes,
  });

  it('is sent once for a key, and asking again returns the same payout', async () => {
    const first = await payouts.request(asked());
    expect(first).toMatchObject({ state: 'pending', amount: { currency: 'KES', value: '100.00' } });
    const same = await payouts.request(asked({ destinations: [aWallet('100.0')] }));
    expect(same).toMatchObject({ id: first.id, state: 'pending' });
    expect(sent).toHaveLength(1);
  });

  it.each<[string, Partial<RequestPayout>]>([
    ['another amount', { destinations: [aWallet('101')] }],
    ['another person', { destinations: [aWallet('100', '+254700000002')] }],
    ['another kind of destination', { destinations: [aTill()] }],
    ['one destination more', { destinations: [aWallet(), aTill()] }],
    ['another source', { sourceIdentifier: '000123' }],
    ['other metadata', { metadata: { order: '2' } }],
  ])('is refused for the key of another payout with %s', async (_, changes) => {
    await payouts.request(asked());
    await expect(payouts.request(asked(changes))).rejects.toMatchObject({
      code: 'PAYMENTS_IDEMPOTENCY_CONFLICT',
    });
    expect(sent).toHaveLength(1);
  });

  it.each([undefined, null, []])(
    'is refused with %j as destinations, which would send all funds',
    async (destinations) => {
      const input = asked({ destinations: destinations as never });
      await expect(payouts.request(input)).rejects.toThrow(/destinations/);
      const all = { ...asked({ destinations: undefined as never }), sweepAllFunds: true };
      await expect(payouts.request(all)).rejects.toThrow(/sweepAllFunds/);
      expect(sent).toEqual([]);
    },
  );

  it('is refused under another key while one of its destinations has the same amount in flight', async () => {
    const { id } = await payouts.request(asked({ destinations: [aWallet(), aTill()] }));
    const other = asked({ idempotencyKey: 'invoice-2', destinations: [aTill('100.00')] });
    await expect(payouts.request(other)).rejects.toMatchObject({
      code: 'PAYMENTS_PAYOUT_IN_FLIGHT',
      inTheWay: [{ id, state: 'pending' }],
    });
    await money.noEvidence(id);
    await expect(payouts.request(other)).rejects.toMatchObject({ inTheWay: [{ id }] });
    expect(sent).toHaveLength(1);
    expect(await payouts.request({ ...other, besides: [id] })).toMatchObject({
      state: 'pending',
    });
  });

  it('can be made under another key to another destination, with another amount, and after a failure', async () => {
    const answer = { operation: 'send', status: 422, platformMessages: ['no'] };
    money.answer = { kind: 'rejected', error: new PlatformRejectedError(answer) };
    const failed = await payouts.request(asked());
    expect(failed).toMatchObject({ state: 'failed', reason: 'rejected' });
    money.answer = null;
    expect(await payouts.request(asked({ idempotencyKey: '2' }))).toMatchObject({
      state: 'pending',
    });
    for (const [key, to] of [
      ['3', aWallet('101')],
      ['4', aWallet('100', '+254700000002')],
    ] as const) {
      const input = asked({ idempotencyKey: key, destinations: [to] });
      expect(await payouts.request(input)).toMatchObject({ state: 'pending' });
    }
  });

  describe('with limits', () => {
    beforeEach(() => {
      ({ payouts } = money.open({ limits: LIMITS }));
    });

    const of = (amount: string, key = amount, changes: Partial<RequestPayout> = {}) =>
      asked({ idempotencyKey: key, destinations: [aWallet(amount)], ...changes });
    const by = { requestedBy: 'jane' };

    it('above the limit of one payout is not recorded', async () => {
      await expect(payouts.request(of('1000.01', '1', by))).rejects.toMatchObject({
        code: 'PAYMENTS_LIMIT_EXCEEDED',
        setting: 'payouts.limits.KES.perPayout',
      });
      const parts = { ...by, destinations: [aWallet('600'), aTill('401')] } as const;
      await expect(payouts.request(of('1', '2', parts))).rejects.toThrow(/1001.00 KES is above/);
      expect(await payouts.findByIdempotencyKey('1')).toBeNull();
    });

    it('above the limit of a day is not recorded, and one that failed does not count', async () => {
      const held = await payouts.request(of('1000', '1', by));
      await expect(payouts.request(of('501', '2', by))).rejects.toMatchObject({
        setting: 'payouts.limits.KES.perDay',
        message: expect.stringContaining('1000.00 KES'),
      });
      await payouts.decline(held.id, { by: 'peter', note: 'no' });
      expect(await payouts.request(of('501', '2', by))).toMatchObject({ awaitsApproval: true });
    });

    it('in a currency without a limit is refused', async () => {
      await expect(
        payouts.request(asked({ currency: 'UGX', destinations: [aTill()] })),
      ).rejects.toThrow(/add payouts.limits.UGX/);
    });

    it('that was recorded before a limit was lowered is returned for its key', async () => {
      const recorded = await payouts.request(of('400', '1', by));
      const limits = { KES: { perPayout: '10', approveFrom: '5' } };
      const lowered = money.open({ limits }).payouts;
      expect(await lowered.request(of('400', '1', by))).toMatchObject({ id: recorded.id });
      await expect(lowered.request(of('400', 'new', by))).rejects.toThrow(/above the limit/);
      expect(sent).toHaveLength(1);
    });

    it('must say who asks for it once some need approval', async () => {
      await expect(payouts.request(of('500'))).rejects.toThrow(/requestedBy is missing/);
      await expect(payouts.request(of('1'))).rejects.toThrow(/requestedBy is missing/);
    });

    it('needs approval when its destination gets that much in a day, whoever asks and in whatever parts', async () => {
      const part = (amount: string, requestedBy: string) =>
        payouts.request(of(amount, `${requestedBy} ${amount}`, { requestedBy }));
      expect(await part('200', 'jane')).toMatchObject({ state: 'pending' });
      expect(await part('299.99', 'peter')).toMatchObject({ state: 'pending' });
      const last = await part('0.01', 'mary');
      expect(last).toMatchObject({ state: 'created', awaitsApproval: true });
      expect(await part('0.01', 'mary')).toMatchObject({ id: last.id, awaitsApproval: true });
      const elsewhere = {
        ...by,
        destinations: [aTill('499'), aWallet('1', '+254700000009')] as const,
      };
      expect(await payouts.request(asked({ idempotencyKey: 'x', ...elsewhere }))).toMatchObject({
        awaitsApproval: true,
      });
      expect(sent).toHaveLength(2);
      money.runtime.advance(DAY);
      expect(await part('300', 'jane')).toMatchObject({ state: 'pending' });
    });

    it('that needs approval is sent only after another person has approved it, however late', async () => {
      const input = of('500', '1', by);
      const held = await payouts.request(input);
      expect(held).toMatchObject({ state: 'created', awaitsApproval: true });
      money.runtime.advance(HOUR);
      expect(await payouts.request(input)).toMatchObject({ state: 'created' });
      for (const name of [
        'jane',
        ' Jane ',
        'ＪＡＮＥ',
        'Jane\u200b',
        'ja\u00adne',
        '\u2066jane\u2069',
        'ja ne',
      ])
        await expect(payouts.approve(held.id, { by: name })).rejects.toThrow(/another person/);
      await expect(payouts.approve(held.id, { by: ' ' })).rejects.toThrow(/by must be the name/);
      expect(sent).toEqual([]);
      expect(await payouts.approve(held.id, { by: 'peter' })).toMatchObject({
        state: 'pending',
        approvedBy: 'peter',
        awaitsApproval: false,
      });
      expect(sent).toHaveLength(1);
      await expect(payouts.approve(held.id, { by: 'mary' })).rejects.toThrow(/peter has approved/);
      await expect(payouts.decline(held.id, { by: 'mary', note: '' })).rejects.toMatchObject({
        code: 'PAYMENTS_NOT_APPROVABLE',
      });
      expect(sent).toHaveLength(1);
    });

    it('that is approved by two persons at once is sent once', async () => {
      const { id } = await payouts.request(of('500', '1', by));
      await Promise.allSettled(['peter', 'mary'].map((name) => payouts.approve(id, { by: name })));
      expect(sent).toHaveLength(1);
    });

    it('that is declined fails and is never sent, and can then be asked for under another key', async () => {
      const input = of('500', '1', by);
      const { id } = await payouts.request(input);
      expect(await payouts.decline(id, { by: 'jane', note: 'twice' })).toMatchObject({
        state: 'failed',
        reason: 'declined',
        errors: ['declined by jane: twice'],
        destinations: [{ state: 'failed' }],
      });
      await expect(payouts.approve(id, { by: 'peter' })).rejects.toThrow(/it is failed/);
      expect(await payouts.request(input)).toMatchObject({ id, state: 'failed' });
      expect(await payouts.request(of('500', '2', by))).toMatchObject({ awaitsApproval: true });
      expect(sent).toEqual([]);
    });

    it('that waits for approval refuses another key for the same destination and amount', async () => {
      const { id } = await payouts.request(of('500', '1', by));
      await expect(payouts.request(of('500', '2', by))).rejects.toMatchObject({
        inTheWay: [{ id }],
      });
    });
  });

  describe('in review', () => {
    let id: string;

    beforeEach(async () => {
      ({ id } = await payouts.request(asked({ destinations: [aWallet(), aTill()] })));
    });

    const who = { by: 'peter', note: 'the statement' };

    it('can be resolved as paid in part, and each destination says so', async () => {
      await money.noEvidence(id);
      expect(
        await payouts.resolve(id, { state: 'partially_succeeded', paid: [1], ...who }),
      ).toMatchObject({
        state: 'partially_succeeded',
        destinations: [{ state: 'failed' }, { state: 'paid' }],
        cause: null,
      });
      const [event] = (await money.store.events.list('default', id)).filter(
        ({ name }) => name === 'payout.partially-succeeded',
      );
      expect(event).toMatchObject({ name: 'payout.partially-succeeded' });
    });

    it.each([
      ['succeeded', 'paid'],
      ['failed', 'failed'],
    ] as const)('can be resolved as %s for all destinations', async (state, each) => {
      await money.noEvidence(id);
      expect(await payouts.resolve(id, { state, ...who })).toMatchObject({
        state,
        destinations: [{ state: each }, { state: each }],
      });
    });

    it.each([[[]], [[0, 1]], [[0, 0, 1]], [[2]], [[-1]], [[0.5]]])(
      'cannot be resolved in part with %j as the paid destinations',
      async (paid) => {
        await money.noEvidence(id);
        await expect(
          payouts.resolve(id, { state: 'partially_succeeded', paid, ...who }),
        ).rejects.toThrow(/some of its 2 destinations/);
      },
    );

    it('cannot be resolved against what the platform has shown, unless it has said something else too', async () => {
      const shows = (status: string, transaction_reference: string) =>
        money.shows(id, [aDisbursement(status, { transaction_reference })], 'status');
      await shows('Transferred', 'OUT1');
      await money.noEvidence(id);
      const deny = () => payouts.resolve(id, { state: 'failed', ...who });
      await expect(deny()).rejects.toThrow(/destination 1 was paid by transfer OUT1: say so/);
      await shows('Transferred', 'OUT2');
      await expect(deny()).rejects.toThrow(/destination 1 was paid/);
      await shows('Cancelled', 'OUT1');
      expect(await deny()).toMatchObject({ state: 'failed' });
    });

    it('cannot be resolved as failed a second time when the platform has shown a transfer after the first decision', async () => {
      const alone = asked({ idempotencyKey: 'alone', destinations: [aWallet('77')] });
      const payout = await payouts.request(alone);
      await money.noEvidence(payout.id);
      await payouts.resolve(payout.id, { state: 'failed', ...who });
      const paid = { transaction_reference: 'OUT9', amount: '77' };
      const shown = await money.shows(payout.id, [aDisbursement('Transferred', paid)], 'status');
      expect(shown).toMatchObject({ cause: 'paid_after_failure' });
      await expect(payouts.resolve(payout.id, { state: 'failed', ...who })).rejects.toThrow(/OUT9/);
    });

    it('can be resolved only against those destinations of which the platform says two things', async () => {
      const disbursements = [
        aDisbursement('Transferred', { transaction_reference: 'OUT1' }),
        aDisbursement('Transferred', {
          destination_type: 'till',
          phone_number: null,
          till_number: '000124',
          transaction_reference: 'OUT2',
          errors: ['A later step failed'],
        }),
      ];
      await money.shows(id, disbursements, 'status');
      await expect(payouts.resolve(id, { state: 'failed', ...who })).rejects.toThrow(/OUT1/);
      const decision = { state: 'partially_succeeded', paid: [0], ...who } as const;
      expect(await payouts.resolve(id, decision)).toMatchObject({ state: 'partially_succeeded' });
    });

    it('cannot be resolved as something else, or when it is not in review', async () => {
      await expect(payouts.resolve(id, { state: 'failed', ...who })).rejects.toThrow(
        /it is pending, and was sent 0 min ago/,
      );
      await money.noEvidence(id);
      await expect(payouts.resolve(id, { state: 'reversed', ...who } as never)).rejects.toThrow(
        /state must be/,
      );
    });
  });

  describe('to an account', () => {
    const bank = (accountNumber: string, bankBranchRef = 'branch-1') =>
      ({
        type: 'bank_account',
        bankBranchRef,
        accountName: 'Flour Ltd',
        accountNumber,
        amount: '100',
        description: 'flour',
      }) as const;
    const paybill = (paybillNumber: string, paybillAccountNumber: string) =>
      ({
        type: 'paybill',
        paybillNumber,
        paybillAccountNumber,
        amount: '100',
        description: 'power',
      }) as const;

    it.each<[string, SendMoneyDestination, SendMoneyDestination]>([
      ['with blanks', bank('0123456789'), bank('0123 456 789')],
      ['with hyphens, dots and slashes', bank('01-23.45/6789'), bank('0123456789')],
      ['in letters of the other case', bank('ke12abc'), bank('KE12ABC')],
      ['in wide digits', bank('０１２３'), bank('0123')],
      ['with blanks around it', bank(' 0123 '), bank('0123')],
      ['with its branch in another case', bank('0123', 'ABC-1'), bank('0123', 'abc1')],
      ['with the K of a till', aTill('100', 'K000124'), aTill('100', '000124')],
      ['without the leading zeros of a till', aTill('100', '000124'), aTill('100', '124')],
      ['with the K of a paybill behind zeros', paybill('00K888', 'A 1'), paybill('888', 'a1')],
      ['with the leading zeros of a paybill', paybill('00888', 'A 1'), paybill('888', 'a1')],
      ['as people write a phone number', aWallet('100', '+254 700-000-001'), aWallet()],
    ])(
      'is refused under another key when the same account is written %s',
      async (_, one, other) => {
        const { id } = await payouts.request(asked({ destinations: [one] }));
        await expect(
          payouts.request(asked({ idempotencyKey: 'k', destinations: [other] })),
        ).rejects.toMatchObject({ code: 'PAYMENTS_PAYOUT_IN_FLIGHT', inTheWay: [{ id }] });
        expect(sent).toHaveLength(1);
      },
    );

    it('needs a second person together with other small ones, however the account is written', async () => {
      ({ payouts, sent } = money.open({ limits: { KES: { approveFrom: '2000' } } }));
      const writings = ['abc-123', 'ABC123', 'a-b-c 123', 'AbC.123', 'abc/123'];
      const states = [];
      for (const [index, writing] of writings.entries()) {
        const destination = { ...bank(writing), amount: String(1_000 + index) };
        const request = { idempotencyKey: `key-${index}`, destinations: [destination] } as const;
        states.push((await payouts.request(asked({ ...request, requestedBy: 'jane' }))).state);
      }
      expect(states).toEqual(['pending', ...Array(4).fill('created')]);
      expect(sent).toHaveLength(1);
    });

    it.each([
      ['a zero-width space', '0123\u200b4567'],
      ['a soft hyphen', '0123\u00ad4567'],
      ['an underscore', '0123_4567'],
      ['a combining mark', 'a\u0301\u0301b'],
      ['only signs', ' - '],
    ])('is refused by its field when the account has %s', async (_, accountNumber) => {
      const refused = payouts.request(asked({ destinations: [bank(accountNumber)] }));
      await expect(refused).rejects.toMatchObject({
        problems: [{ field: 'destinations.0.accountNumber' }],
      });
      expect(sent).toEqual([]);
    });

    it('is sent as the account was typed, without the blanks around it', async () => {
      await payouts.request(asked({ destinations: [bank(' 01-23 45 ')] }));
      expect(JSON.stringify(sent)).toContain('"accountNumber":"01-23 45"');
    });
  });

  it('can be seen before it is requested, which records and sends nothing', async () => {
    ({ payouts } = money.open({ limits: LIMITS }));
    const spaced = aWallet('499.50', '+254 700 000 001');
    const { amount, destinations, needsApproval } = await payouts.preview(
      asked({ destinations: [spaced, aTill('0.50')], requestedBy: 'jane' }),
    );
    expect(amount).toEqual({ currency: 'KES', value: '500.00' });
    expect(destinations[0]).toMatchObject({ phoneNumber: '+254700000001' });
    expect(needsApproval).toBe(true);
    const large = asked({ destinations: [aWallet('1000.01')], requestedBy: 'jane' });
    await expect(payouts.preview(large)).rejects.toMatchObject({ code: 'PAYMENTS_LIMIT_EXCEEDED' });
    await expect(payouts.preview(asked({ destinations: [] as never }))).rejects.toThrow(
      'destinations',
    );
    expect(await payouts.findByIdempotencyKey('invoice-1')).toBeNull();
    expect(sent).toEqual([]);
  });
});
