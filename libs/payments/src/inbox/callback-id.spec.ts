import { describe, expect, it } from '@jest/globals';
import type { CallbackUrls } from '../platform/callback-urls.js';
import { handedOutId, idIn } from './callback-id.js';

describe('The id in a callback URL', () => {
  it.each([
    ['with its MAC', 'https://shop.example/payments/callbacks/incoming-payments/op-1/mac'],
    ['without a MAC', 'https://shop.example/callbacks/incoming-payments/op-1'],
    ['without a host, and with a query', '/callbacks/incoming-payments/op-1?more=1'],
  ])('follows the resource in a URL %s', (_, url) => {
    expect(idIn(url, 'incoming-payments')).toBe('op-1');
  });

  it('is found in a path whose prefix is named like the resource', () => {
    expect(idIn('https://shop.example/pay/callbacks/pay/op-1/mac', 'pay')).toBe('op-1');
  });

  it.each([
    ['without a URL', null],
    ['of another resource', 'https://shop.example/callbacks/pay/op-1'],
    ['without callbacks before the resource', 'https://shop.example/hooks/incoming-payments/op-1'],
    ['without anything before the resource', 'https://shop.example/incoming-payments/op-1'],
    ['that ends with the resource', 'https://shop.example/callbacks/incoming-payments'],
  ])('is null in a callback %s', (_, url) => {
    expect(idIn(url, 'incoming-payments')).toBeNull();
  });
});

describe('The id that we gave out in a callback URL', () => {
  const URL = 'https://shop.example/callbacks/pay/op-1';
  const idOf = (url: string | null, isHandedOut = true): string | null => {
    const urls = {
      isHandedOut: (...given: unknown[]) =>
        isHandedOut && given.join() === ['a', 'pay', 'op-1', URL, true].join(),
    } as unknown as CallbackUrls;
    return handedOutId(urls, 'a', 'pay', url, true);
  };

  it('is the id that the URL contains', () => {
    expect(idOf(URL)).toBe('op-1');
  });

  it.each([
    ['there is no URL', null],
    ['the URL is of another resource', 'https://shop.example/callbacks/polling/op-1'],
  ])('is null when %s', (_, url) => {
    expect(idOf(url)).toBeNull();
  });

  it('is null when the URL is not ours', () => {
    expect(idOf(URL, false)).toBeNull();
  });
});
