import { describe, expect, it } from '@jest/globals';
import type { PaymentsAccount } from '@tillkit/payments';
import { TimeFormat } from '../html/time.format.js';
import { AnyVisit, Visit, type Viewer } from './visit.dto.js';

function viewer(depth: number): Viewer {
  return {
    depth,
    operator: '',
    times: new TimeFormat('UTC'),
    ownZone: null,
    mayAct: false,
  };
}

/** Returns the path that a browser opens for a link of a page. */
function followed(url: string, depth: number, page = 'payments'): string {
  const visit = new AnyVisit({ url, headers: {} }, viewer(depth));
  return new URL(visit.rootLink(page), `https://shop.example${url}`).pathname;
}

describe('A link', () => {
  it.each([
    ['/ops', 0, '/ops/payments'],
    ['/ops/', 0, '/ops/payments'],
    ['/api/v1/ops?x=/y/', 0, '/api/v1/ops/payments'],
    ['/ops/overview', 1, '/ops/payments'],
    ['/ops/overview/', 1, '/ops/payments'],
    ['/ops/payments/1', 2, '/ops/payments'],
    ['/ops/payments/1/?after=x', 2, '/ops/payments'],
    ['/api/ops/payments/1/phone', 3, '/api/ops/payments'],
  ])('on the page at %s leads to its target', (url, depth, leads) => {
    expect(followed(url, depth)).toBe(leads);
  });

  it('is relative to the original URL, even if a router has removed part of it', () => {
    const visit = new AnyVisit(
      { url: '/1/', originalUrl: '/ops/payments/1/', headers: {} },
      viewer(2),
    );
    expect(visit.rootLink('overview')).toBe('../../overview');
  });

  it('contains each value of a query parameter, and no undefined one', () => {
    const visit = new AnyVisit({ url: '/ops/overview', headers: {} }, viewer(1));
    expect(visit.rootLink('payments', { state: ['a', 'b'], key: 'x&y', from: undefined })).toBe(
      './payments?state=a&state=b&key=x%26y',
    );
  });
});

describe('A link to a page of an account', () => {
  const account = { name: 'shop-1' } as PaymentsAccount;

  it.each([
    ['/ops/accounts/shop-1', 2],
    ['/ops/accounts/shop-1/', 2],
    ['/ops/accounts/shop-1/payments/7', 4],
  ])('on the page at %s names the account, if there are several', (url, depth) => {
    const visit = new Visit({ url, headers: {} }, viewer(depth), account, true);
    const { pathname } = new URL(visit.link('payments'), `https://shop.example${url}`);
    expect(pathname).toBe('/ops/accounts/shop-1/payments');
  });

  it('does not name the only account', () => {
    const visit = new Visit({ url: '/ops/payments/7', headers: {} }, viewer(2), account, false);
    expect(visit.link('payments')).toBe('../payments');
  });
});

describe('A query parameter', () => {
  it('that is repeated has its first value, and an empty one is undefined', () => {
    const visit = new AnyVisit(
      { url: '/ops?after=a&after=b&state=&x=%00', headers: {} },
      viewer(0),
    );
    expect(visit.parameter('after')).toBe('a');
    expect(visit.parameter('state')).toBeUndefined();
    expect(visit.parameter('none')).toBeUndefined();
  });

  describe('in the time zone of each browser', () => {
    const visitIn = (zone: string): Visit =>
      new Visit(
        { url: '/ops/overview', headers: {} },
        { ...viewer(1), times: new TimeFormat(zone), ownZone: 'Africa/Nairobi' },
        { name: 'default' } as PaymentsAccount,
        false,
      );

    it('names the time zone of its days', () => {
      const visit = visitIn('Africa/Nairobi');
      expect(visit.link('payments')).toBe('./payments');
      for (const name of ['day', 'from', 'to']) {
        expect(visit.link('payments', { [name]: undefined })).toBe('./payments');
        expect(visit.link('payments', { [name]: '2026-11-25' })).toBe(
          `./payments?${name}=2026-11-25&zone=Africa%2FNairobi`,
        );
      }
    });

    it('keeps the different time zone that a shared address names', () => {
      const visit = visitIn('Africa/Lagos');
      expect(visit.link('payments')).toBe('./payments?zone=Africa%2FLagos');
    });
  });
});
