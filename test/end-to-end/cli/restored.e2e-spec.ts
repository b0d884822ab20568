import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PostgresStore } from '@tillkit/postgres';
import type { Ran } from '../../support/command-line.js';
import { aRequestFrom, type Merchant } from '../../support/merchant.js';
import { StoredMerchant } from '../../support/stored.merchant.js';

const MINUTE = 60_000;
const NOW = new Date().toISOString();

describe('tillkit, after a restore and for one customer', () => {
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
    [['redact', 'jane', '--by', 'j', '--note', 'n'], /phoneNumber is no phone number/],
    [['redact', '+254700000001', '--by', 'j'], /--note/],
    [['export'], /phone/],
    [['restored', '--by', 'j'], /--at/],
    [['restored', '--at', 'yesterday', '--by', 'j'], /--at must be an ISO 8601 time/],
    [['restored', '--at', NOW, '--at', NOW, '--by', 'j'], /--at is given twice/],
    [['restored', '--at', NOW, '--by', 'j', '--by', 'k'], /--by is given twice/],
    [['resume', '--all', '--after-restore', 'money-out', '--by', 'j', '--note', 'n'], /--seen/],
    [['resume', '--all', '--seen', NOW, '--by', 'j', '--note', 'n'], /--after-restore/],
    [['restored', '--at', '2126-01-01T00:00:00Z', '--by', 'j'], /in the future/],
    [['restored', '--at', '1970-01-21T00:00:00Z', '--by', 'j'], /more than 30 days ago/],
  ])('refuses %j, and changes nothing', async (args, why) => {
    const { code, out, complaint } = await run(...args);
    expect({ out, isFailed: code !== 0 }).toEqual({ out: '', isFailed: true });
    expect(complaint).toMatch(why);
    expect(await store.traffic.pauses()).toEqual([]);
  });

  it('says after a restore what is paused and unknown, and accounts list shows it', async () => {
    const at = new Date(Date.now() - 10 * MINUTE);
    const { code, out } = await run('restored', '--at', at.toISOString(), '--by', 'jane');
    expect(code).toBe(0);
    expect(out).toMatch(/lost what happened since .*unknown" now: 0\..*from now: 1\./s);
    await expect(merchant.payments.request(aRequestFrom('+254700000041'))).rejects.toMatchObject({
      code: 'PAYMENTS_SENDING_PAUSED',
    });
    expect((await run('accounts', 'list')).out).toMatch(
      /paused by jane: the database was restored/,
    );
  });

  it('names the pause of all accounts, and the newest restore, as what is still paused', async () => {
    const person = ['--account', 'default', '--by', 'peter', '--note', 'compared'];
    const all = ['--all', '--by', 'kate', '--note', 'the database moves'];
    await run('pause', ...all);
    await run('pause', ...person);
    expect((await run('resume', ...person)).out).toBe(
      'This pause of account "default" has ended. Sending is still paused for all accounts, by kate: the database moves.\n',
    );
    await run('pause', ...person);
    await run('resume', ...all);
    await store.restores.begin(new Date(), 'jane');
    const { begunAt } = await store.restores.begin(new Date(), 'jane');
    expect((await run('resume', ...person)).out).toContain(`--seen ${begunAt.toISOString()}.`);
  });

  it('ends one pause at a time, and says what is still paused', async () => {
    const person = ['--account', 'default', '--by', 'peter', '--note', 'compared'];
    await run('pause', ...person);
    const resumed = async (...more: string[]): Promise<string> =>
      (await run('resume', ...person, ...more)).out;
    const ended = await resumed();
    expect(ended).toMatch(
      /^This pause of account "default" has ended\. Sending is still paused for account "default", by jane: .* See --after-restore everything --seen \S+Z\.\n$/,
    );
    expect(await run('resume', ...person)).toMatchObject({
      code: 1,
      out: '',
      complaint: expect.stringMatching(
        /there is no such pause of account "default"\. Sending is still paused/,
      ),
    });
    const seen = ['--seen', /--seen (\S+Z)\./.exec(ended)?.[1] as string];
    const earlier = ['--seen', new Date(Date.now() - MINUTE).toISOString()];
    expect(
      await run('resume', ...person, '--after-restore', 'everything', ...earlier),
    ).toMatchObject({ code: 1 });
    expect(await resumed('--after-restore', 'everything', ...seen)).toMatch(
      /Payouts and refunds are still paused for account "default", by jane: .* See --after-restore money-out --seen/,
    );
    expect((await run('accounts', 'list')).out).toMatch(/payouts and refunds paused by jane/);
    expect(await resumed('--after-restore', 'money-out', ...seen)).toBe(
      'This pause of account "default" has ended. Nothing is paused.\n',
    );
  });
});
