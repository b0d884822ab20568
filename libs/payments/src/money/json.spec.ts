import { describe, expect, it } from '@jest/globals';
import { parseAnswer, parseJson } from './json.js';

function nested(levels: number, inner = '1'): string {
  return '[{"a":'.repeat(levels / 2) + inner + '}]'.repeat(levels / 2);
}

describe('the depth of JSON', () => {
  it('may be 64 levels', () => {
    expect(parseJson(nested(64))).toEqual(JSON.parse(nested(64)));
  });

  it('may not be more in a request', () => {
    expect(() => parseJson(nested(64, '[]'))).toThrow('nested deeper than 64 levels');
  });

  it('is cut in an answer, whose other parts stay', () => {
    const text = `[1, ${nested(62, '[[2]]')}, {"b": ["c"]}]`;
    expect(parseAnswer(text)).toEqual(JSON.parse(text.replace('[[2]]', '[null]')));
  });

  it.each([
    ['brackets', '{[{['.repeat(100)],
    ['escaped quotes', '\\"[{'.repeat(100)],
    ['a backslash at its end', `${'[{'.repeat(100)}\\\\`],
    ['a backslash and a quote', '\\\\\\"[{'.repeat(100)],
  ])('does not count what is in a string with %s', (_, content) => {
    const text = `["${content}", ["after"]]`;
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('counts what stands after a string that ends with a backslash', () => {
    expect(() => parseJson(`["\\\\", ${nested(64)}]`)).toThrow('nested deeper');
  });

  it.each([
    ['only has a quote', '"'],
    ['ends within a string', '["a'],
    ['ends after an escaped quote', '["\\"'],
    ['begins with an escaped quote', '\\"'],
  ])('is not counted of a text that %s, which is an error of the syntax', (_, text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});
