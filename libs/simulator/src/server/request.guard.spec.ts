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
    ['a missing User-Agent', undefined],
    ['an empty User-Agent', ''],
    ['the User-Agent axios', 'axios'],
    ['the User-Agent axios/1.21', 'axios/1.21'],
    ['the User-Agent tillkit (node)', 'tillkit (node)'],
    ['the User-Agent (node) tillkit/1', '(node) tillkit/1'],
    ['the User-Agent tillkit/1 ()', 'tillkit/1 ()'],
    ['the User-Agent tillkit/1(node)', 'tillkit/1(node)'],
  ])('refuses %s', (_, value) => expect(isUserAgent(value)).toBe(false));

  it.each([
    'application/json',
    'application/json, text/plain, */*',
    'text/html, Application/JSON;q=0.9',
  ])('accepts the Accept %s', (accept) =>
    expect(() => checkHeaders({ accept, 'user-agent': 'a/1 (b)' })).not.toThrow(),
  );

  it.each([
    ['a missing Accept', undefined],
    ['the Accept */*', '*/*'],
    ['the Accept text/html', 'text/html'],
    ['the Accept application/jsonp', 'application/jsonp'],
  ])('refuses %s with 406', (_, accept) => {
    const headers = accept === undefined ? {} : { accept };
    expect(() => checkHeaders({ ...headers, 'user-agent': 'a/1 (b)' })).toThrow(
      expect.objectContaining({ status: 406 }),
    );
  });

  it.each([
    ['a missing Content-Type', undefined],
    ['the Content-Type text/plain', 'text/plain'],
    ['the Content-Type application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
    ['the Content-Type application/jsonx', 'application/jsonx'],
  ])('refuses %s with 415', (_, type) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expect(() => readJsonBody(headers, Buffer.from('{}'))).toThrow(
      expect.objectContaining({ status: 415 }),
    );
  });

  it.each([
    ['empty', ''],
    ['half of JSON', '{'],
    ['a word of JavaScript', 'undefined'],
    ['JSON behind a byte order mark', '\uFEFF{}'],
  ])('refuses a body that is %s, because it is not JSON', (_, body) => {
    expect(() => readJsonBody({ 'content-type': 'application/json' }, Buffer.from(body))).toThrow(
      Refusal,
    );
  });

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
