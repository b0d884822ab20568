import { describe, expect, it } from '@jest/globals';
import { boundedBody, hasTooManyParts } from './delivery-parser.js';

const MOST = 50_000;
const KEPT = 64 * 1024;

const bodyOf = (text: string): Buffer => Buffer.from(text);
const keys = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `"key${n}":1`).join(',')}}`;

describe('a body', () => {
  it.each<[string, string]>([
    ['a few characters', '{"a":1}'],
    ['4 MB of one text', `{"a":"${'x'.repeat(4_000_000)}"}`],
    ['commas and brackets within a text', `{"a":"${',{}[]'.repeat(100_000)}"}`],
    ['commas after a quote within a text', `{"a":"\\"${',{}[]'.repeat(100_000)}"}`],
    ['commas after a text that ends with a backslash', `{"a":"${'x'.repeat(MOST)}\\\\"}`],
    ['blanks and digits', `[${' '.repeat(MOST)}${'1'.repeat(MOST)}]`],
    ['as many parts as may be', `[${'1,'.repeat(MOST - 1)}1]`],
  ])('of %s is kept as it is', (_, text) => {
    expect(boundedBody(bodyOf(text)).toString()).toBe(text);
    expect(hasTooManyParts(bodyOf(text))).toBe(false);
  });

  it.each<[string, string]>([
    ['keys', keys(MOST)],
    ['empty objects', `[${'{},'.repeat(MOST)}{}]`],
    ['brackets', '['.repeat(MOST + 1)],
    ['numbers', `[${'1,'.repeat(MOST)}1]`],
    ['texts without commas', `[${'""'.repeat(MOST)}`],
    ['escapes of JSON', `["${'\\u0041'.repeat(MOST)}"]`],
    ['escapes of URLs', `["${'%41'.repeat(MOST)}"]`],
    ['keys after a text', `{"a":"\\\\",${keys(MOST).slice(1)}`],
  ])('of too many %s is cut, and says so', (_, text) => {
    const kept = boundedBody(bodyOf(text));
    expect(kept.length).toBeLessThan(KEPT + 100);
    expect(kept.toString()).toMatch(/\n\.\.\. the rest is not kept: too many names/);
    expect(hasTooManyParts(bodyOf(text))).toBe(true);
    expect(hasTooManyParts(kept)).toBe(true);
  });

  it('is cut between two values, so that no half of a card number is left', () => {
    const text = `{"card_number":"${'4111,'.repeat(20_000)}",${keys(MOST).slice(1)}`;
    expect(boundedBody(bodyOf(text)).toString()).toMatch(/^\{\n\.\.\. the rest/);
  });

  it('is never JSON after it was cut, also when its beginning was', () => {
    const text = `{"topic":"buygoods_transaction_received"},"${'%41'.repeat(MOST)}"`;
    const [beginning = ''] = boundedBody(bodyOf(text)).toString().split('\n');
    expect(() => JSON.parse(beginning) as unknown).toThrow(SyntaxError);
  });
});
