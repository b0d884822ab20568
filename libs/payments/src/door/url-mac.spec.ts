import { describe, expect, it } from '@jest/globals';
import { urlMac, verifyUrlMac, type UrlPurpose } from './url-mac.js';

const CALLBACK: UrlPurpose = {
  purpose: 'callback',
  account: 'shop',
  resource: 'incoming_payments',
  id: 'op-1',
};
/** Made by `openssl dgst -sha256 -hmac first-secret`: URLs that were given to the platform must stay valid. */
const CALLBACK_MAC = '38ak_AbxbPvrmme7YrlFz275RgHW0uYtLYVGqUN-MvI';
const WEBHOOK_MAC = 'glHMFpwmoLOKTR33a8NiSu61BYymNQWGibNZxpf4YoE';

describe('The MAC of a URL', () => {
  it('equals the HMAC that openssl makes of the purpose and the secret', () => {
    expect(urlMac(CALLBACK, 'first-secret')).toBe(CALLBACK_MAC);
    expect(urlMac({ purpose: 'webhook', account: 'shop' }, 'first-secret')).toBe(WEBHOOK_MAC);
  });

  it('is valid with any of several secrets, wherever it stands', () => {
    expect(verifyUrlMac(CALLBACK, CALLBACK_MAC, ['first-secret'])).toBe(true);
    expect(verifyUrlMac(CALLBACK, CALLBACK_MAC, ['first-secret', 'second-secret'])).toBe(true);
    expect(verifyUrlMac(CALLBACK, CALLBACK_MAC, ['second-secret', 'first-secret'])).toBe(true);
  });

  it.each([
    ['the only secret', ['second-secret']],
    ['each of several secrets', ['second-secret', 'third-secret']],
    ['no secret', []],
  ])('of another secret is wrong with %s', (_, secrets) => {
    expect(verifyUrlMac(CALLBACK, CALLBACK_MAC, secrets)).toBe(false);
  });

  it.each<[string, Partial<UrlPurpose>]>([
    ['another purpose', { purpose: 'webhook' }],
    ['another account', { account: 'other' }],
    ['another resource', { resource: 'pay' }],
    ['another id', { id: 'op-2' }],
    ['no id', { id: '' }],
  ])('is wrong for %s', (_, other) => {
    expect(verifyUrlMac({ ...CALLBACK, ...other }, CALLBACK_MAC, ['first-secret'])).toBe(false);
  });

  it('differs when the same text is divided into its fields in another way', () => {
    const moved = { ...CALLBACK, resource: 'incoming_paymentsop', id: '-1' };
    expect(urlMac(moved, 'first-secret')).not.toBe(CALLBACK_MAC);
  });

  it.each([
    ['is missing', undefined],
    ['is a list', [CALLBACK_MAC]],
    ['is empty', ''],
    ['is too short', CALLBACK_MAC.slice(1)],
    ['is too long', `${CALLBACK_MAC}A`],
    ['differs in its last character', `${CALLBACK_MAC.slice(0, -1)}J`],
  ])('that %s is wrong', (_, mac) => {
    expect(verifyUrlMac(CALLBACK, mac, ['first-secret'])).toBe(false);
  });
});
