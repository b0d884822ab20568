import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Reloaded } from '../accounts/account-entry.js';
import { AccountRegistry, type AccountLoading } from '../accounts/account-registry.js';
import { DeliveryAdmission, MOST_WAITING_BYTES } from './delivery-admission.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import type { DeliveryHead, DeliveryRouteMark } from './delivery-route.js';
import type { RefusalLog } from './refusals.js';
import { SIGNATURE_HEADER } from './signature.js';
import { urlMac } from './url-mac.js';

const MOST = MOST_WAITING_BYTES;

describe('A delivery that fits no secret that we know', () => {
  let accounts: AccountRegistry;
  let admission: DeliveryAdmission;
  /** Ends the reloads that run. */
  let reloads: ((reloaded: Reloaded) => void)[];

  beforeEach(() => {
    reloads = [];
    accounts = new AccountRegistry();
    accounts.loadWith({
      reload: () => new Promise((resolve) => reloads.push(resolve)),
    } as Partial<AccountLoading> as AccountLoading);
    accounts.put({ ...SETTINGS, account: 'shop' });
    admission = new DeliveryAdmission(accounts, {} as RefusalLog);
  });

  const judged = (again: () => 'signature' | 'fits', bytes = 0) =>
    admission.afterReload('shop', 'signature', again, bytes);
  const end = (reloaded: Reloaded): void => reloads.shift()?.(reloaded);

  it('is refused at once when its account was declared at the start', async () => {
    accounts.add({ ...SETTINGS, account: 'declared', path: 'other' });
    const answer = admission.afterReload('declared', 'signature', () => 'fits' as const);
    expect(await answer).toBe('signature');
    expect(reloads).toEqual([]);
  });

  it('is judged again with the secrets that its account has now', async () => {
    const answer = judged(() => 'fits');
    end('changed');
    expect(await answer).toBe('fits');
  });

  it.each([
    ['refused when the secrets are still the same', 'same', 'signature'],
    ['left to a repeat when the account could not be loaded', 'unsure', 'unsure'],
  ] as const)('is %s', async (_, reloaded, verdict) => {
    const answer = judged(() => 'signature');
    end(reloaded);
    expect(await answer).toBe(verdict);
  });

  it('is accepted when it fits the secrets that another request has loaded meanwhile', async () => {
    const answer = judged(() => 'fits');
    end('unsure');
    expect(await answer).toBe('fits');
  });

  it('is left to a repeat when the bodies that wait already fill the memory', async () => {
    const first = judged(() => 'fits', MOST - 1);
    const second = judged(() => 'fits', 1);
    expect(await judged(() => 'fits', 1)).toBe('unsure');
    expect(reloads).toHaveLength(2);
    end('changed');
    end('changed');
    expect(await Promise.all([first, second])).toEqual(['fits', 'fits']);
  });

  it('takes no memory any more after its account was loaded or could not be loaded', async () => {
    const first = judged(() => 'fits', MOST);
    end('changed');
    await first;
    const second = judged(() => 'fits', MOST);
    accounts.loadWith({
      reload: () => Promise.reject(new Error('the source is away')),
    } as Partial<AccountLoading> as AccountLoading);
    end('changed');
    await second;
    await expect(judged(() => 'fits', MOST)).rejects.toThrow('the source is away');
    await expect(judged(() => 'fits', MOST)).rejects.toThrow('the source is away');
  });
});

describe('A delivery, before its body is read,', () => {
  const SIGNATURE = 'a'.repeat(64);
  const mark = { kind: 'callback', account: 'default' } as const;
  const params = { resource: 'incoming-payments', id: 'p' };

  const refusal = (
    head: DeliveryHead,
    settings: Partial<PaymentsSettings> = {},
    of: DeliveryRouteMark = mark,
  ) => {
    const accounts = accountsOf({ ...SETTINGS, ...settings });
    const admission = new DeliveryAdmission(accounts, {} as RefusalLog);
    return admission.refusalOf(of, head);
  };
  const signed = (headers: DeliveryHead['headers'] = {}): DeliveryHead => ({
    headers: { [SIGNATURE_HEADER]: SIGNATURE, ...headers },
    params,
  });

  it('is admitted with a signature', () => {
    expect(refusal(signed())).toBeNull();
  });

  it.each([
    ['is missing', undefined],
    ['is no SHA-256 in hexadecimal', 'a'.repeat(63)],
  ])('is refused when the account has keys and its signature %s', (_, signature) => {
    expect(refusal({ headers: { [SIGNATURE_HEADER]: signature }, params })).toBe('signature');
  });

  it('is judged by the MAC in its URL when the account has no keys', () => {
    const settings = { apiKeys: [], urlSecrets: ['secret'] };
    const purpose = {
      purpose: 'callback',
      account: 'default',
      resource: 'incoming-payments',
      id: 'p',
    } as const;
    const withMac = (mac: string): DeliveryHead => ({ headers: {}, params: { ...params, mac } });
    expect(refusal(withMac(urlMac(purpose, 'secret')), settings)).toBeNull();
    expect(refusal(withMac(urlMac(purpose, 'other')), settings)).toBe('url_mac');
    expect(refusal(signed(), settings)).toBe('url_mac');
  });

  it.each([
    ['a resource that we give no URL of', { resource: 'loans', id: 'p' }],
    ['an id that could change a URL', { resource: 'incoming-payments', id: '../p' }],
  ])('is refused with %s', (_, wrong) => {
    expect(refusal({ ...signed(), params: wrong })).toBe('identifier');
  });

  it('is refused when it is compressed', () => {
    expect(refusal(signed({ 'content-encoding': 'gzip' }))).toBe('encoded');
    expect(refusal(signed({ 'content-encoding': 'Identity' }))).toBeNull();
  });

  it.each([
    ['callback', params, 1024 * 1024],
    ['webhook', {}, 64 * 1024],
  ] as const)('is refused when it is a %s that says that it is too large', (kind, of, most) => {
    const size = (bytes: number): DeliveryHead => ({
      ...signed({ 'content-length': String(bytes) }),
      params: of,
    });
    expect(refusal(size(most), {}, { kind, account: 'default' })).toBeNull();
    expect(refusal(size(most + 1), {}, { kind, account: 'default' })).toBe('too_large');
  });

  it('is left to a repeat when its account was closed meanwhile', () => {
    expect(refusal(signed(), {}, { kind: 'callback', account: 'gone' })).toBe('unsure');
  });
});
