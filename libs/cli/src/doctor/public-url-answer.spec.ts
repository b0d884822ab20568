import { describe, expect, it } from '@jest/globals';
import type { HttpAnswer } from '../http-answer.js';
import { judgeAnswer } from './public-url-answer.js';

const URL_ = 'https://shop.example/payments/webhooks';

const answer = (changes: Partial<HttpAnswer>): HttpAnswer => ({
  status: 200,
  type: '',
  server: '',
  location: '',
  date: null,
  text: '',
  ...changes,
});

const problem = (status: number, title: string, more: object = {}): HttpAnswer =>
  answer({
    status,
    type: 'application/problem+json; charset=utf-8',
    text: JSON.stringify({ type: 'about:blank', title, status, ...more }),
  });

const html = (status: number, text: string, server = ''): HttpAnswer =>
  answer({ status, type: 'text/html', text, server });

const json = (status: number, body: object): HttpAnswer =>
  answer({ status, type: 'application/json; charset=utf-8', text: JSON.stringify(body) });

describe('The answer to a delivery that nobody signed', () => {
  it('comes from our routes when it is a problem document with status 401', () => {
    expect(judgeAnswer(URL_, problem(401, 'Unauthorized'))).toEqual({
      verdict: 'ok',
      found: `our routes answer at ${URL_}`,
      cure: null,
    });
  });

  it.each<[string, HttpAnswer, 'warning' | 'failed', RegExp, RegExp]>([
    [
      'ours without the account',
      problem(404, 'Not Found'),
      'failed',
      /not have this account/,
      /--account/,
    ],
    [
      'ours without its database',
      problem(503, 'Service Unavailable'),
      'warning',
      /answer 503/,
      /database/,
    ],
    [
      'a problem document of somebody else',
      problem(401, 'Unauthorized', { detail: 'no' }),
      'failed',
      /refuses deliveries \(401\)/,
      /firewall or the login/,
    ],
    [
      'a login page',
      html(200, '<title>Sign in</title><input type="password">'),
      'failed',
      /a login page answers .*"Sign in"/,
      /without a login/,
    ],
    [
      'a redirect to a login page',
      answer({ status: 302, location: '/login?next=%2F', server: 'nginx' }),
      'failed',
      /"nginx" redirects .*\/login.*: a login page/,
      /without a login/,
    ],
    [
      'a redirect to another host',
      answer({ status: 301, location: 'https://www.shop.example/payments/webhooks' }),
      'failed',
      /redirects .* \(301\) to https:\/\/www\.shop\.example/,
      /follows no redirects.*https:\/\/www\.shop\.example/,
    ],
    [
      'a redirect to nowhere',
      answer({ status: 301 }),
      'failed',
      /to nowhere/,
      /follows no redirects/,
    ],
    [
      'nginx without a location',
      html(404, '<html><head><title>404 Not Found</title></head><center>nginx/1.22.1</center>'),
      'failed',
      /the server "nginx\/1\.22\.1" answers 404 .*does not pass it on.*"404 Not Found"/,
      /Let the proxy pass this path/,
    ],
    [
      'nginx without the application',
      html(502, '', 'nginx/1.22.1'),
      'failed',
      /502: it does not reach/,
      /Start the application/,
    ],
    [
      'a proxy of a cloud without the application',
      html(522, '', 'cloudflare'),
      'failed',
      /"cloudflare" answers 522/,
      /Start the/,
    ],
    [
      'NestJS on Express without the route',
      json(404, { message: 'Cannot POST /payments/webhooks', error: 'Not Found', statusCode: 404 }),
      'failed',
      /NestJS or Express application answers, and has no route \/payments\/webhooks/,
      /--prefix/,
    ],
    [
      'Express without the route',
      html(404, '<pre>Cannot POST /payments/webhooks</pre>'),
      'failed',
      /has no route/,
      /PaymentsModule/,
    ],
    [
      'NestJS on Fastify without the route',
      json(404, { message: 'Route POST:/x not found', error: 'Not Found', statusCode: 404 }),
      'failed',
      /has no route/,
      /PAYMENTS_PATH/,
    ],
    [
      'a guard of the application',
      json(403, { message: 'Forbidden resource', error: 'Forbidden', statusCode: 403 }),
      'failed',
      /a guard of the application refuses deliveries/,
      /controllerDecorators: \[Public\(\)\]/,
    ],
    [
      'a rate limit of the application',
      json(429, { message: 'ThrottlerException', statusCode: 429 }),
      'failed',
      /a rate limit/,
      /SkipThrottle/,
    ],
    [
      'a pipe of the application',
      json(400, { message: ['x'], statusCode: 400 }),
      'failed',
      /answers 400 in its own words/,
      /pipe or filter/,
    ],
    [
      'a firewall',
      html(403, '<title>Access denied</title>', 'cloudflare'),
      'failed',
      /refuses deliveries/,
      /firewall/,
    ],
    [
      'another application',
      html(200, '<title>Welcome to nginx!</title>', 'nginx'),
      'failed',
      /another application answers 200 .*"Welcome to nginx!"/,
      /Correct PAYMENTS_PUBLIC_URL/,
    ],
    [
      'JSON of another application',
      json(200, { ok: true }),
      'failed',
      /another application/,
      /PUBLIC_URL/,
    ],
    ['a static site', html(405, '', 'nginx'), 'failed', /answers 405/, /Let the proxy pass/],
  ])('is recognised as %s', (_, given, verdict, found, cure) => {
    const finding = judgeAnswer(URL_, given);
    expect(finding).toEqual({
      verdict,
      found: expect.stringMatching(found),
      cure: expect.stringMatching(cure),
    });
  });
});
