import { describe, expect, it } from '@jest/globals';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { sealUrlMacs } from '../platform/callback-urls.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import { RouteRegistry, SignedCallbackUrls } from './signed-callback-urls.js';

const urlsWith = (changes: Partial<PaymentsSettings> = {}): SignedCallbackUrls => {
  const accounts = accountsOf({ ...SETTINGS, apiKeys: [], urlSecrets: ['one'], ...changes });
  return new SignedCallbackUrls(new RouteRegistry(accounts), accounts);
};
/** True for a URL of the payment `p`. */
const isOurs = (urls: SignedCallbackUrls, url: string, isSigned = false): boolean =>
  urls.isHandedOut('default', 'incoming-payments', 'p', sealUrlMacs(url), isSigned);
const urlOf = (urls: SignedCallbackUrls): string =>
  urls.callback('default', 'incoming-payments', 'p');

describe('A URL that the platform shows', () => {
  const urls = urlsWith();

  it('is ours with the MAC that we gave', () => {
    expect(isOurs(urls, urlOf(urls))).toBe(true);
  });

  it('is ours with the MAC of an earlier secret', () => {
    expect(isOurs(urlsWith({ urlSecrets: ['two', 'one'] }), urlOf(urls))).toBe(true);
  });

  it.each([
    ['the MAC of another secret', urlOf(urlsWith({ urlSecrets: ['two'] }))],
    ['no MAC', 'https://shop.example/payments/callbacks/incoming-payments/p'],
    ['the id of another operation', urls.callback('default', 'incoming-payments', 'q')],
    ['another resource', urls.callback('default', 'send-money', 'p')],
    ['something behind the MAC', `${urlOf(urls)}/x`],
    ['the path of no callback', 'https://shop.example/p'],
    ['a text that is no URL', 'p'],
  ])('is not ours with %s', (_, url) => {
    expect(isOurs(urls, url)).toBe(false);
  });

  it('is ours in a signed delivery, also with a secret that is not set any more', () => {
    const former = urlOf(urlsWith({ urlSecrets: ['former'] }));
    expect(isOurs(urls, former, true)).toBe(true);
    expect(isOurs(urlsWith({ apiKeys: ['key'] }), former)).toBe(true);
  });

  it('is not ours in a signed delivery about another operation', () => {
    expect(isOurs(urls, urls.callback('default', 'incoming-payments', 'q'), true)).toBe(false);
    expect(isOurs(urls, `${urlOf(urls)}/x`, true)).toBe(false);
  });
});

describe('A URL that we give to the platform', () => {
  it('has the MAC of the newest secret', () => {
    const newest = urlsWith({ urlSecrets: ['one'] });
    const both = urlsWith({ urlSecrets: ['one', 'former'] });
    expect(urlOf(both)).toBe(urlOf(newest));
    expect(both.webhook('default')).toBe(newest.webhook('default'));
    expect(both.webhook('default')).toMatch(
      /^https:\/\/shop\.example\/payments\/webhooks\/[\w-]{43}$/,
    );
  });

  it('has no MAC without a secret', () => {
    const urls = urlsWith({ urlSecrets: [], apiKeys: ['key'] });
    expect(urlOf(urls)).toBe('https://shop.example/payments/callbacks/incoming-payments/p');
    expect(urls.webhook('default')).toBe('https://shop.example/payments/webhooks');
  });
});
