import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PostgresStore } from '@tillkit/postgres';
import { aPayment, recorded } from '../../contracts/store-under-test.js';
import type { Ran } from '../../support/command-line.js';
import { aRequestFrom, type Merchant } from '../../support/merchant.js';
import { StoredMerchant } from '../../support/stored.merchant.js';

const MINUTE = 60_000;
const NOW = new Date().toISOString();

describe('tillkit', () => {
  let opened: StoredMerchant;
  let store: PostgresStore;
  let merchant: Merchant;

  beforeAll(async () => {
    opened = await StoredMerchant.open();
    ({ store, merchant } = opened);
  });
  afterAll(() => opened.close());

  const run = (...args: string[]): Promise<Ran> => opened.run(...args);
  const paid = async (phone: string): Promise<string> => {
    const { id } = await merchant.payments.request(aRequestFrom(phone));
    await merchant.payments.settled(id);
    await merchant.received.next('payment.succeeded', ({ payment }) => payment.id === id);
    await merchant.simulator.idle();
    return id;
  };

  it('exports what is stored of a customer with all data, one JSON value a line, and nothing of others', async () => {
    const id = await paid('+254700000001');
    await paid('+254700000021');
    const { code, out, complaint } = await run('export', '+254700000001');
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; id: string });
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'operation', id }));
    expect(out).toContain('+254700000001');
    expect(out).not.toContain('254700000021');
  });

  it('redacts a customer, and exports nothing afterwards', async () => {
    const id = await paid('+254700000031');
    const args = ['redact', '+254700000031', '--by', 'jane', '--note', 'her request', '--json'];
    const { code, out } = await run(...args);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ account: 'default', left: [] });
    expect((await run('export', '+254700000031')).out).toBe('');
    expect((await merchant.payments.find(id))?.state).toBe('succeeded');
  });

  it.each([
    [
      'to redact a name',
      ['redact', 'jane', '--by', 'j', '--note', 'n'],
      /phoneNumber is no phone number/,
    ],
    ['to redact without a reason', ['redact', '+254700000001', '--by', 'j'], /--note/],
    ['to export without a phone number', ['export'], /phone/],
    ['a restore without its time', ['restored', '--by', 'j'], /--at/],
    [
      'a restore at a time that is none',
      ['restored', '--at', 'yesterday', '--by', 'j'],
      /--at must be an ISO 8601 time/,
    ],
    [
      'a restore with two times',
      ['restored', '--at', NOW, '--at', NOW, '--by', 'j'],
      /--at is given twice/,
    ],
    [
      'a restore by two persons',
      ['restored', '--at', NOW, '--by', 'j', '--by', 'k'],
      /--by is given twice/,
    ],
    [
      'a restore in the future',
      ['restored', '--at', '2126-01-01T00:00:00Z', '--by', 'j'],
      /in the future/,
    ],
  ])('refuses %s, and changes nothing', async (_, args, why) => {
    const { code, out, complaint } = await run(...args);
    expect({ out, isFailed: code !== 0 }).toEqual({ out: '', isFailed: true });
    expect(complaint).toMatch(why);
    expect(await store.pauses.all()).toEqual([]);
  });

  it('names after a restore what is unknown, without phone numbers, and says what to compare and what ends the pause', async () => {
    const at = new Date(Date.now() - 10 * MINUTE);
    const { id } = await recorded(store, aPayment('default'));
    const { code, out } = await run('restored', '--at', at.toISOString(), '--by', 'jane');
    expect(code).toBe(0);
    expect(out).toMatch(/lost what happened since \S+Z\. Sending is paused for all accounts\./);
    expect(out).toMatch(
      new RegExp(`"unknown" now: 1\\..*account "default": 1\\n.*payment +${id} +100\\.00 KES`, 's'),
    );
    expect(out).toMatch(
      /Compare each account, .*with the merchant portal from \S+Z on:.*payouts.*links/s,
    );
    expect(out).toMatch(/`tillkit resume --all --by <who> --note <why>` ends the pause\.\n$/);
    expect(out).not.toMatch(/\+?254\d/);
    await expect(merchant.payments.request(aRequestFrom('+254700000041'))).rejects.toMatchObject({
      code: 'PAYMENTS_SENDING_PAUSED',
    });
    expect((await run('accounts', 'list')).out).toMatch(
      /paused \(all\) by jane: the database was restored/,
    );
    const resumed = await run('resume', '--all', '--by', 'peter', '--note', 'compared');
    expect(resumed.out).toBe('This pause of all accounts has ended. Nothing is paused.\n');
  });

  it('prints after a restore the same as JSON', async () => {
    const at = new Date(Date.now() - 10 * MINUTE);
    const { id, createdAt } = await recorded(store, aPayment('default'));
    const { out } = await run('restored', '--at', at.toISOString(), '--by', 'jane', '--json');
    expect(JSON.parse(out)).toEqual({
      at: at.toISOString(),
      operations: [
        {
          account: 'default',
          kind: 'payment',
          id,
          amount: { currency: 'KES', value: '100.00' },
          createdAt: createdAt.toISOString(),
        },
      ],
    });
    await store.pauses.resume(null, 'peter', 'compared');
  });

  it('prints of each account the first operations that are unknown after a restore, and how many more there are', async () => {
    for (let n = 0; n < 52; n += 1) await recorded(store, aPayment('shop-2'));
    const { out } = await run('restored', '--at', NOW, '--by', 'jane');
    expect(out).toMatch(/account "shop-2": 52\n.*and 2 more/s);
    await store.pauses.resume(null, 'peter', 'compared');
  });

  it('ends one pause at a time, and says what is still paused', async () => {
    const person = ['--account', 'default', '--by', 'peter', '--note', 'compared'];
    const all = ['--all', '--by', 'kate', '--note', 'the database moves'];
    await run('pause', ...all);
    await run('pause', ...person);
    expect((await run('resume', ...person)).out).toBe(
      'This pause of account "default" has ended. Sending is still paused for all accounts, by kate: the database moves.\n',
    );
    expect(await run('resume', ...person)).toMatchObject({
      code: 1,
      out: '',
      complaint: expect.stringMatching(
        /there is no such pause of account "default"\. Sending is still paused/,
      ),
    });
    await run('resume', ...all);
  });
});
