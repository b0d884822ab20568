import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Html } from '@tillkit/pages';
import { literalTexts } from '../../../../test/support/literal-texts.js';
import { ENGLISH } from './english.words.js';
import { pluralsOf } from './plural.format.js';

const SOURCE = join(import.meta.dirname, '..');

type Text = string | ((...values: unknown[]) => unknown);

/** Every text of a table, with its path. */
function textsOf(table: object, path = ''): [path: string, text: Text][] {
  return Object.entries(table).flatMap(([name, value]: [string, Text | object]) =>
    typeof value === 'object'
      ? textsOf(value, `${path}${name}.`)
      : [[path + name, value] as [string, Text]],
  );
}

describe('The source of the dashboard', () => {
  // Engineers read the errors at the start, the options and the audit log.
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.ts') &&
      !/^(words|generated|testing)\/|(\.spec|\.settings|\.options|audit-log\.service)\.ts$/.test(
        name,
      ),
  );

  it('has no text that is not in the table of words', () => {
    expect(files.length).toBeGreaterThan(50);
    const found = files.flatMap((name) => {
      const path = join(SOURCE, name);
      return literalTexts(readFileSync(path, 'utf8')).map(
        (line) => `${relative(process.cwd(), path)}:${line}`,
      );
    });
    expect(found).toEqual([]);
  });

  it.each([
    ['a text of a template', 'html`<p>\n${x} Hello</p>`', '2: Hello'],
    [
      'a text after a substitution that has a template',
      'html`${a && html`<b></b>`}seconds`',
      '1: seconds',
    ],
    ['a label for screen readers', 'html`<nav aria-label="Pages"></nav>`', '1: Pages'],
    ['a part of such a label', 'html`<i title="${a} of it"></i>`', '1: \uE000 of it'],
    ['a text that a condition chooses', "html`<p>${a ? 'yes' : b}</p>`", '1: yes'],
    ['a text in front of a value', 'html`<p>${`by ${a}`}</p>`', '1: by'],
    ['the text of an error', "new PageError(400, () => ({ title: 'No' }))", '1: No'],
    ['an empty state', "empty('Nothing.')", '1: Nothing.'],
    ['a title', "page('payments', `Payment ${id}`, html``)", '1: Payment'],
    ['a name of a fact', "facts([a && ['Phone', b]])", '1: Phone'],
    ['a name of a column', "const columns = [{ name: 'State' }];", '1: State'],
    ['a phrase in a constant', "const WHY = { limit: 'over a limit' };", "1: 'over a limit'"],
    ['a sentence in a constant', "const WHY = 'Nobody knows.';", "1: 'Nobody knows.'"],
  ])('is searched for %s', (_, source, found) => {
    expect(literalTexts(source)).toContain(found);
  });

  it.each([
    ['attributes', 'html`<a class="tile" ${x && html`aria-current="true"`}>${name}</a>`'],
    ['values of attributes', "html`<p class=\"${isBig ? 'big' : 'small'}\"></p>`"],
    ['entities and punctuation', 'html`&middot; (${a}): ${b}`'],
    ['codes', "const TABS = [{ name: '24h' }, { name: 'outcome' }];"],
    ['the log', "this.logger.warn('The store is away')"],
  ])('may have %s', (_, source) => {
    expect(literalTexts(source)).toEqual([]);
  });
});

describe('The English words', () => {
  const texts = textsOf(ENGLISH);

  it('have no empty text', () => {
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.filter(([, text]) => text === '')).toEqual([]);
  });

  it.each([0, 1, 2])('say something for %i', (value) => {
    const wrong = texts.flatMap(([path, text]) => {
      if (typeof text === 'string') return [];
      const said = text(...Array.from({ length: text.length }, () => value));
      const isText = typeof said === 'string' || said instanceof Html;
      const shown = String(said);
      return isText && shown !== '' && !/undefined|null|NaN|\[object/.test(shown)
        ? []
        : [`${path}: ${shown}`];
    });
    expect(wrong).toEqual([]);
  });

  it('have a singular and a plural', () => {
    const { deadLetters } = ENGLISH.overview.tiles;
    expect([0, 1, 2].map(deadLetters)).toEqual(['dead letters', 'dead letter', 'dead letters']);
  });
});

describe('A plural', () => {
  it('follows the rules of its language', () => {
    const plural = pluralsOf('pl');
    const forms = { one: 'plik', few: 'pliki', many: 'plików', other: 'pliku' };
    expect([1, 2, 5, 22].map((count) => plural(count, forms))).toEqual([
      'plik',
      'pliki',
      'plików',
      'pliki',
    ]);
  });

  it('is the general form where a language has no other', () => {
    expect(pluralsOf('ja')(1, { other: '件' })).toBe('件');
    expect(pluralsOf('en')(1, { other: 'times' })).toBe('times');
  });
});
