import { describe, expect, it } from '@jest/globals';
import { Visit } from './visit.dto.js';

/** Where a browser goes that follows a link of a page. */
function followed(url: string, depth: number, page = 'payments'): string {
  const visit = new Visit({ url, headers: {} }, depth, 'somebody');
  return new URL(visit.link(page), `https://shop.example${url}`).pathname;
}

describe('a link', () => {
  it.each([
    ['/ops', 0, '/ops/payments'],
    ['/ops/', 0, '/ops/payments'],
    ['/api/v1/ops?x=/y/', 0, '/api/v1/ops/payments'],
    ['/ops/overview', 1, '/ops/payments'],
    ['/ops/overview/', 1, '/ops/payments'],
    ['/ops/payments/1', 2, '/ops/payments'],
    ['/ops/payments/1/?after=x', 2, '/ops/payments'],
    ['/api/ops/payments/1/phone', 3, '/api/ops/payments'],
  ])('from %s leads to the page', (url, depth, leads) => {
    expect(followed(url, depth)).toBe(leads);
  });

  it('is made from the path as it came, whatever a router has taken off', () => {
    const visit = new Visit({ url: '/1/', originalUrl: '/ops/payments/1/', headers: {} }, 2, '');
    expect(visit.link('overview')).toBe('../../overview');
  });

  it('carries each value of a query, and none that is not there', () => {
    const visit = new Visit({ url: '/ops/overview', headers: {} }, 1, '');
    expect(visit.link('payments', { state: ['a', 'b'], key: 'x&y', from: undefined })).toBe(
      './payments?state=a&state=b&key=x%26y',
    );
  });
});

describe('a query', () => {
  it('that comes twice counts once, and an empty one not at all', () => {
    const visit = new Visit({ url: '/ops?after=a&after=b&state=&x=%00', headers: {} }, 0, '');
    expect(visit.asked('after')).toBe('a');
    expect(visit.asked('state')).toBeUndefined();
    expect(visit.asked('none')).toBeUndefined();
  });
});
