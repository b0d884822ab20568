import { describe, expect, it } from '@jest/globals';
import { Refusal } from './platform-answer.dto.js';
import { checkHeaders, isUserAgent, readJsonBody } from './request.guard.js';

describe('The request guard of the simulator', () => {
  it.each([
    'tillkit/0.1.0 (node 20)',
    'shop/1.2 tillkit/0.1.0 (node/20.20.2; linux)',
    'tillkit/0.1.0 (node 20) axios/1.21',
  ])('accepts the User-Agent %s', (value) => expect(isUserAgent(value)).toBe(true));

  it.each([
    undefined,
    '',
    'axios',
    'axios/1.21',
    'tillkit (node)',
    '(node) tillkit/1',
    'tillkit/1 ()',
    'tillkit/1(node)',
  ])('refuses the User-Agent %p', (value) => expect(isUserAgent(value)).toBe(false));

  it.each([
    'application/json',
    'application/json, text/plain, */*',
    'text/html, Application/JSON;q=0.9',
  ])('accepts the Accept %s', (accept) =>
    expect(() => checkHeaders({ accept, 'user-agent': 'a/1 (b)' })).not.toThrow(),
  );

  it.each([undefined, '*/*', 'text/html', 'application/jsonp'])(
    'refuses the Accept %p with 406',
    (accept) => {
      const headers = accept === undefined ? {} : { accept };
      expect(() => checkHeaders({ ...headers, 'user-agent': 'a/1 (b)' })).toThrow(
        expect.objectContaining({ status: 406 }),
      );
    },
  );

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])(
    'refuses the Content-Type %p with 415',
    (type) => {
      const headers = type === undefined ? {} : { 'content-type': type };
      expect(() => readJsonBody(headers, Buffer.from('{}'))).toThrow(
        expect.objectContaining({ status: 415 }),
      );
    },
  );

  it.each(['', '{', 'undefined', '\uFEFF{}'])(
    'refuses the body %j because it is not JSON',
    (body) => {
      expect(() => readJsonBody({ 'content-type': 'application/json' }, Buffer.from(body))).toThrow(
        Refusal,
      );
    },
  );

  it('refuses a body that is not UTF-8', () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    expect(() => readJsonBody({ 'content-type': 'application/json' }, bytes)).toThrow(Refusal);
  });

  it('accepts JSON with a charset', () => {
    expect(
      readJsonBody({ 'content-type': 'application/json; charset=utf-8' }, Buffer.from('{"a":1}')),
    ).toEqual({ a: 1 });
  });
});
