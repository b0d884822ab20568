import { describe, expect, it } from '@jest/globals';
import { answerError, jsonObject, type PlatformResponse, retryAfterMs } from './platform-answer.js';

const response = (changes: Partial<PlatformResponse>): PlatformResponse => ({
  status: 200,
  location: null,
  retryAfter: null,
  date: null,
  text: '',
  ...changes,
});

describe('an answer of the platform', () => {
  it.each([200, 201, 204])('with status %i is no error', (status) => {
    expect(answerError('read', response({ status }))).toBeNull();
  });

  it.each([
    [301, 'PAYMENTS_REDIRECTED'],
    [307, 'PAYMENTS_REDIRECTED'],
    [400, 'PAYMENTS_REJECTED'],
    [401, 'PAYMENTS_UNAUTHORIZED'],
    [403, 'PAYMENTS_REJECTED'],
    [408, 'PAYMENTS_UNAVAILABLE'],
    [418, 'PAYMENTS_REJECTED'],
    [429, 'PAYMENTS_RATE_LIMITED'],
    [500, 'PAYMENTS_UNAVAILABLE'],
    [599, 'PAYMENTS_UNAVAILABLE'],
  ])('with status %i is the error %s', (status, code) => {
    expect(answerError('read', response({ status }))).toMatchObject({ code, status });
  });

  it('with status 403 and no reason names what may refuse it', () => {
    const { message } = answerError('pay', response({ status: 403 })) as Error;
    expect(message).toMatch(/User-Agent.*address.*permission/);
    const withReason = answerError(
      'pay',
      response({ status: 403, text: '{"error_message":"no"}' }),
    );
    expect(withReason?.message).toContain('correct it');
  });

  it.each([
    ['the text of a message', '{"error_message":"Wrong till"}', ['Wrong till']],
    [
      'the texts of each field',
      '{"errors":{"amount":["is too small","is odd"]}}',
      ['amount: is too small', 'amount: is odd'],
    ],
    [
      'the texts of a list of objects',
      '{"errors":[{"detail":"Wrong till"},{"message":"Odd"}]}',
      ['Wrong till', 'Odd'],
    ],
    ['the text of errorMessage', '{"errorMessage":"Wrong till"}', ['Wrong till']],
    [
      'the texts of message and error',
      '{"message":"Wrong till","error":{"code":7,"message":"Other"}}',
      ['Wrong till', 'Other'],
    ],
    ['no text that is nested too deep', '{"errors":{"a":{"b":{"c":{"d":"x"}}}}}', []],
    ['the texts of a list of messages', '{"error_message":["One","Two"]}', ['One', 'Two']],
    [
      "the texts of OAuth's two fields",
      '{"error":"invalid_client","error_description":"Unknown client"}',
      ['invalid_client', 'Unknown client'],
    ],
    ['the texts of a list of errors', '{"errors":["One","Two"]}', ['One', 'Two']],
    ['only the texts of a mixed list', '{"error_message":["One",2,null,""]}', ['One']],
    ['no message when it is no JSON', '<html>Bad gateway</html>', []],
    ['no message when it is null', 'null', []],
    ['no message when it is a bare text', '"no"', []],
    ['no message when it is empty', '', []],
  ])('that refuses a request shows %s', (_, text, platformMessages) => {
    expect(answerError('read', response({ status: 400, text }))).toMatchObject({
      platformMessages,
    });
  });

  it('with very many messages has at most ten, of at most 300 characters', () => {
    const text = JSON.stringify({ error_message: Array(100).fill('x'.repeat(1_000)) });
    const { platformMessages } = answerError('read', response({ status: 422, text })) ?? {};
    expect(platformMessages).toEqual(Array(10).fill('x'.repeat(300)));
  });

  it.each([
    ['no JSON', '<html>', /not JSON/],
    ['a list', '[1]', /not a JSON object/],
    ['null', 'null', /not a JSON object/],
    ['a number', '7', /not a JSON object/],
  ])('whose body is %s is unreadable', (_, text, words) => {
    expect(() => jsonObject('read', response({ text }))).toThrow(words);
  });

  it('has null instead of a part that is nested deeper than 64 levels', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    const deepest = (text: string): unknown => {
      let value: unknown = jsonObject('read', response({ text }))['odd'];
      while (Array.isArray(value) && value.length > 0) [value] = value;
      return value;
    };
    expect(deepest(`{"odd":${nested(63)}}`)).toEqual([]);
    expect(deepest(`{"odd":${nested(64)}}`)).toBeNull();
    const text = `{"list":[{"reference":"A"},${nested(200_000)}]}`;
    const { list } = jsonObject('read', response({ text })) as { list: unknown[] };
    expect(list[0]).toEqual({ reference: 'A' });
  });

  it.each([
    ['says 3 s when Retry-After is a number of seconds', '3', 3_000],
    ['says 3 s when Retry-After has spaces around them', ' 3 ', 3_000],
    ['says no wait when Retry-After is a past date', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['says nothing when Retry-After is garbage', 'soon', null],
    ['says nothing when Retry-After is a negative number', '-x', null],
    ['says nothing when Retry-After has a unit', '3 s', null],
    ['says no wait when Retry-After is a past date in ISO format', '2015-10-21T07:28:00Z', 0],
    ['says nothing when Retry-After is missing', null, null],
  ])('%s', (_, retryAfter, expected) => {
    expect(retryAfterMs({ retryAfter, date: null })).toBe(expected);
  });

  it('says how long to wait when Retry-After is a date in the future', () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
    const waitMs = retryAfterMs({ retryAfter: inAnHour, date: null }) as number;
    expect(Math.round(waitMs / 60_000)).toBe(60);
  });

  it('says how long to wait by the clock of the platform when Retry-After is a date', () => {
    const retryAfter = 'Wed, 21 Oct 2015 07:28:06 GMT';
    expect(retryAfterMs({ retryAfter, date: 'Wed, 21 Oct 2015 07:28:00 GMT' })).toBe(6_000);
    expect(retryAfterMs({ retryAfter, date: 'now' })).toBe(0);
  });
});
