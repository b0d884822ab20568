import { beforeAll, describe, expect, it } from '@jest/globals';
import { captureLog, linksOf } from '../../support/dashboard.visitor.js';
import { aPayout, aWallet } from '../../support/merchant.js';
import { wordsOfPage } from '../../support/page.form.js';
import { until } from '../../support/until.js';
import { cellsOf, DashboardHost, PERSON, PHONE, SECRET_DIGITS } from './dashboard.fixture.js';

const LISTS = ['payouts', 'refunds', 'payment-links'] as const;

/** A text that a spreadsheet would compute, and that it would also compute after a separator. */
const FORMULA = '=1+1;=2+2';
const HARMLESS = `'=1+1;'=2+2`;

describe('The list of', () => {
  const host = DashboardHost.shared();
  /** Ids by list: the first one has the greater amount and the order number `INV-1`. */
  let ids: Record<(typeof LISTS)[number], [string, string]>;
  let held: string;

  beforeAll(async () => {
    await host.open(
      {
        payments: { payouts: { limits: { KES: { approveFrom: '5000' } } } },
        simulator: { openingBalances: { '514459': 20_000 } },
      },
      { operator: () => 'jane' },
    );
    const { payouts, refunds, links, received } = host.merchant;
    let people = 0;
    const payout = async (idempotencyKey: string, amount: string): Promise<string> => {
      const wallet = { ...aWallet(PHONE, amount), nickname: FORMULA };
      const request = aPayout({
        idempotencyKey,
        destinations: [wallet, aWallet(PERSON, `${(people += 1)}`)],
        requestedBy: 'jane',
      });
      return (await payouts.request(request)).id;
    };
    const refund = async (idempotencyKey: string, value: string): Promise<string> => {
      const paymentId = await host.paid({ idempotencyKey, amount: { currency: 'KES', value } });
      const { id } = await refunds.request({ idempotencyKey, paymentId, why: FORMULA });
      await refunds.settled(id);
      return id;
    };
    const link = async (idempotencyKey: string, value: string): Promise<string> => {
      const amount = { currency: 'KES', value };
      return (await links.request({ idempotencyKey, amount, note: FORMULA })).id;
    };
    ids = {
      payouts: [await payout('INV-1', '1249'), await payout('INV-2', '49')],
      refunds: [await refund('INV-1', '1250'), await refund('INV-2', '50')],
      'payment-links': [await link('INV-1', '1250'), await link('INV-2', '50')],
    };
    await received.next('refund.succeeded');
    held = await payout('WAITS', '9000');
  });

  /** Returns the ids of the operations that a page of a list shows. */
  const shownIn = async (path: string): Promise<string[]> => {
    const { text } = await host.dashboard.get(`/${path}`);
    return [...text.matchAll(/class="row-link" href="[^"]*\/([\w-]{36})"/g)].map(([, id]) => id!);
  };
  const fileOf = async (path: string): Promise<Record<string, string>[]> =>
    cellsOf((await host.dashboard.get(`/${path}`)).text);

  it.each(LISTS)(
    '%s is filtered by links, and its file holds only what is filtered',
    async (list) => {
      const [larger, smaller] = ids[list];
      for (const [filter, wanted] of [
        ['amountFrom=1000&amountTo=2,000', [larger]],
        ['key=inv-2', [smaller]],
        ['key=inv&from=2020-01-01', [smaller, larger]],
        ['key=inv&to=2020-01-01', []],
        ['reason=wrong_pin', []],
        ['source=review', []],
        ['platformId=none', []],
        ['state=failed', []],
      ] as const) {
        expect([filter, await shownIn(`${list}?${filter}`)]).toEqual([filter, wanted]);
        const file = await fileOf(`${list}.csv?${filter}`);
        expect([filter, file.map(({ id }) => id)]).toEqual([filter, wanted]);
      }
      const links = linksOf((await host.dashboard.get(`/${list}?key=inv&amountFrom=1000`)).text);
      expect(links).toContain(`./${list}?key=inv`);
      expect(links).toContain(`./${list}?amountFrom=1000`);
      expect(links).toContain(`./${list}.csv?key=inv&amountFrom=1000`);
      expect(links).toContain(`./${list}?key=inv&amountFrom=1000&state=needs_review`);
    },
  );

  it.each(LISTS)('%s has a file without formulas and with masked phone numbers', async (list) => {
    const { text, headers } = await host.dashboard.get(`/${list}.csv`);
    expect(headers.get('content-disposition')).toContain(`filename="${list}-`);
    expect(text).toContain(HARMLESS);
    expect(text).not.toContain(`"${FORMULA}`);
    expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
  });

  it('payouts says to whom each one goes, and which one waits for approval', async () => {
    const page = wordsOfPage((await host.dashboard.get('/payouts?state=created')).text);
    expect(page).toMatch(/KES 9,003\.00 .*WAITS waits for approval/);
    expect(await shownIn('payouts?state=created')).toEqual([held]);
    const [waiting] = await fileOf('payouts.csv?state=created');
    expect(waiting).toMatchObject({
      amount: '9003.00',
      destinations: '2',
      waitsForApproval: 'yes',
    });
    expect(waiting!['to']).toMatch(/Mobile wallet \+254 7\S* \S* \S01, Safaricom; .*, Safaricom$/);
    const others = await fileOf('payouts.csv?key=INV');
    expect(others.map(({ waitsForApproval }) => waitsForApproval)).toEqual(['no', 'no']);
  });

  it('refunds is filtered by the reference of the money, and shows who gets it', async () => {
    const [id] = ids.refunds;
    const { reference } = (await host.merchant.refunds.find(id))!;
    expect(await shownIn(`refunds?reference=${reference}`)).toEqual([id]);
    const [file] = await fileOf(`refunds.csv?reference=${reference}`);
    expect(file).toMatchObject({ id, amount: '1250.00', reference, till: '514459' });
    expect(wordsOfPage((await host.dashboard.get('/refunds')).text)).toContain('Jane Doe +254 7');
  });

  it('payment links is filtered by till, and its file has no address at which somebody pays', async () => {
    expect(await shownIn('payment-links?till=514459')).toHaveLength(2);
    expect(await shownIn('payment-links?till=1')).toEqual([]);
    const urlOf = async () => (await host.merchant.links.find(ids['payment-links'][0]))!.url;
    await until(async () => (await urlOf()) !== null);
    const url = await urlOf();
    const { text } = await host.dashboard.get('/payment-links.csv');
    expect(text).not.toContain(url);
  });

  it.each([
    ['payouts', 'New payout'],
    ['payment-links', 'New payment link'],
  ])('%s has a button that makes a new one', async (list, name) => {
    const { text } = await host.dashboard.get(`/${list}`);
    expect(linksOf(text)).toContain(`./${list}/new`);
    expect(wordsOfPage(text)).toContain(name);
  });
});

describe('An empty list of', () => {
  const host = DashboardHost.shared();

  beforeAll(() => host.open());

  it.each([
    ['amountFrom', 'much', 'This is not an amount'],
    ['amountTo', '-1', 'This is not an amount'],
    ['from', 'soon', 'This is not a date'],
    ['to', 'later', 'This is not a date'],
    ['reason', 'none', 'There is no such entry'],
    ['source', 'none', 'There is no such entry'],
    ['key', '%01', 'This is too long or contains control characters'],
    ['platformId', '%01', 'This is too long or contains control characters'],
  ])(
    'payouts refuses %s=%s, says why beside the field, and makes no file of it',
    async (...given) => {
      const [name, value, problem] = given;
      for (const at of LISTS.flatMap((list) => [`/${list}`, `/${list}.csv`])) {
        const { status, text } = await host.dashboard.get(`${at}?${name}=${value}`);
        expect({ at, status }).toEqual({ at, status: 400 });
        expect(text).toContain(`<p class="field-error" id="filter-${name}-problem">${problem}`);
      }
    },
  );

  it.each(LISTS)('%s has a form whose answer is an address that can be shared', async (list) => {
    const { status, location } = await host.dashboard.post(`/${list}/search`, {
      state: 'succeeded',
      amountFrom: '1,000',
    });
    expect(status).toBe(303);
    expect(location).toBe(`${host.dashboard.url}/${list}?state=succeeded&amountFrom=1%2C000`);
    expect((await host.dashboard.get(`/${list}/search`)).status).toBe(200);
  });

  it.each(LISTS)('%s names no person in an address and in no line of the log', async (list) => {
    const log = captureLog();
    const { location } = await host.dashboard.post(`/${list}/search`, {
      key: 'INV',
      phone: PHONE,
      name: 'Wanjiku',
    });
    expect(location).toBe(`${host.dashboard.url}/${list}?key=INV`);
    const { text } = await host.dashboard.get(`/${list}?name=Wanjiku&phone=0700000001`);
    expect(linksOf(text).filter((link) => /Wanjiku|00001/.test(link))).toEqual([]);
    expect(log.filter(({ line }) => /Wanjiku|00001/.test(line))).toEqual([]);
  });

  it.each([
    ['refunds', 'reversed'],
    ['refunds', 'partially_succeeded'],
    ['payouts', 'reversed'],
    ['payment-links', 'partially_succeeded'],
  ])('%s has no tab for the state %s, which the kind cannot have', async (list, state) => {
    const { text } = await host.dashboard.get(`/${list}`);
    expect(linksOf(text)).not.toContain(`./${list}?state=${state}`);
    expect((await host.dashboard.get(`/${list}?state=${state}`)).status).toBe(400);
  });
});

describe('On a dashboard that is read-only, the list of', () => {
  const host = DashboardHost.shared();

  beforeAll(() => host.open({}, { unguardedActions: undefined }));

  it.each(LISTS)('%s has no button of an action', async (list) => {
    const { text } = await host.dashboard.get(`/${list}`);
    expect(linksOf(text).filter((link) => link.includes('new'))).toEqual([]);
  });
});
