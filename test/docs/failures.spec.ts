import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { KNOWN_FAILURES } from '@tillkit/payments';

const PAGE = readFileSync(new URL('../../docs/failures.md', import.meta.url), 'utf8');

const cells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

it('docs/failures.md shows each known failure, in their order', () => {
  const shown = PAGE.split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(cells);
  expect(shown).toEqual(
    KNOWN_FAILURES.map(({ texts, reason, retry, message }) => [
      texts.map((text) => `\`${text}\``).join(', '),
      `\`${reason}\``,
      `\`${retry}\``,
      message.en,
      message.sw,
    ]),
  );
});
