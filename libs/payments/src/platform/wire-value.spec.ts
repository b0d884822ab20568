import { describe, expect, it } from '@jest/globals';
import { wireName, wireObject, wireText, wireTextOf, wireTexts } from './wire-value.js';

describe('a value from the platform', () => {
  it.each([
    [{ present: 'a', older: 'b' }, 'a'],
    [{ older: 'b' }, 'b'],
    [{ present: null, older: 7 }, '7'],
    [{ present: ' ', older: 'b' }, 'b'],
    [{ present: '', older: null }, ''],
    [{}, null],
  ])(
    'such as %j is read under the older name only where the present one has no text',
    (object, text) => {
      expect(wireTextOf(object, 'present', 'older')).toBe(text);
    },
  );

  it.each([[[]], [null], ['text'], [7], [undefined]])('is no object when it is %j', (value) => {
    expect(wireObject(value)).toBeNull();
  });

  it.each([
    ['text', 'a text', 'text'],
    ['', 'a text', ''],
    [514459, 'a text', '514459'],
    [Number.NaN, 'nothing', null],
    [true, 'nothing', null],
    [{}, 'nothing', null],
    [undefined, 'nothing', null],
  ])('that is %p is read as %s', (value, _, text) => {
    expect(wireText(value)).toBe(text);
  });

  it('that is longer than any value we understand is cut as a text, and is null as a name', () => {
    const long = '7'.repeat(1_000_000);
    expect([wireText(long)?.length, wireName(long), wireName('one')]).toEqual([4_096, null, 'one']);
    expect(wireTexts([long, { a: long }]).map((text) => text.length)).toEqual([4_096, 4_096]);
    expect(wireTexts(Array.from({ length: 10_000 }, () => 'e'))).toHaveLength(50);
  });

  it.each<[unknown, string[]]>([
    [
      ['One', 'Two'],
      ['One', 'Two'],
    ],
    ['One', ['One']],
    [null, []],
    [undefined, []],
    [[], []],
    [{}, []],
    ['', []],
    ['  ', []],
    [[null], []],
    [['', { base: [] }], []],
    [false, []],
    [7, ['7']],
    [{ base: ['no'] }, ['{"base":["no"]}']],
    [
      ['One', { code: 2 }],
      ['One', '{"code":2}'],
    ],
    [{ code: 2 }, ['{"code":2}']],
  ])('that is %j is read as the texts %j', (value, texts) => {
    expect(wireTexts(value)).toEqual(texts);
  });
});
