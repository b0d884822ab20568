import type { ExecutionContext } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { LoopbackGuard } from './loopback.guard.js';

describe('The guard of the practice dashboard', () => {
  const isLetIn = (
    remoteAddress: string | undefined,
    host: string | undefined,
    { method = 'GET', site }: { method?: string; site?: string } = {},
  ): boolean =>
    new LoopbackGuard().canActivate({
      switchToHttp: () => ({
        getRequest: () => ({
          method,
          headers: { host, 'sec-fetch-site': site },
          socket: { remoteAddress },
        }),
      }),
    } as unknown as ExecutionContext);

  it.each([
    ['127.0.0.1', '127.0.0.1:3000'],
    ['::1', '[::1]:3000'],
    ['::ffff:127.0.0.1', 'localhost:3000'],
    ['127.1.2.3', 'LOCALHOST'],
  ])('allows a request from the address %s for the host %s', (address, host) => {
    expect(isLetIn(address, host)).toBe(true);
  });

  it.each([
    ['192.168.1.7', '127.0.0.1:3000'],
    ['::ffff:10.0.0.1', 'localhost:3000'],
    ['127.0.0.1', 'rebound.example'],
    ['127.0.0.1', '127.0.0.1.rebound.example'],
  ])('refuses a request from the address %s for the host %s', (address, host) => {
    expect(isLetIn(address, host)).toBe(false);
  });

  it('refuses a request without an address or without a host', () => {
    expect(isLetIn('127.0.0.1', undefined)).toBe(false);
    expect(isLetIn(undefined, '127.0.0.1:3000')).toBe(false);
  });

  it.each([
    ['allows a POST of its own page', 'POST', 'same-origin', true],
    ['allows a POST of a browser that does not name the page', 'POST', undefined, true],
    ['refuses a POST of another page of the site', 'POST', 'same-site', false],
    ['refuses a POST of another site', 'POST', 'cross-site', false],
    ['allows a GET of another site', 'GET', 'cross-site', true],
  ])('%s', (_, method, site, expected) => {
    expect(isLetIn('127.0.0.1', '127.0.0.1:3000', { method, ...(site && { site }) })).toBe(
      expected,
    );
  });
});
