import { existsSync, writeFileSync } from 'node:fs';
import { it } from '@jest/globals';

it('Passes at the second try, because its process dies at the first one', () => {
  const mark = process.env['DIES_ONCE'] as string;
  if (existsSync(mark)) return;
  writeFileSync(mark, '');
  process.exit(1);
});
