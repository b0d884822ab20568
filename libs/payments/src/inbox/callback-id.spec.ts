import { describe, expect, it } from '@jest/globals';
import { idIn } from './callback-id.js';

describe('The id in a callback URL', () => {
  it.each([
    ['https://shop.example/payments/callbacks/incoming-payments/op-1/mac'],
    ['https://shop.example/callbacks/incoming-payments/op-1'],
    ['/callbacks/incoming-payments/op-1?more=1'],
  ])('follows the resource: %s', (url) => {
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
  ])('is null in one %s', (_, url) => {
    expect(idIn(url, 'incoming-payments')).toBeNull();
  });
});
