import { SCENARIOS } from '@tillkit/simulator';
import { practicePhone } from './practice/practice.phones.js';
import type { Shop } from './shop.application.js';

/** What the terminal shows when the shop is open: the addresses, and what each practice phone does. */
export function greeting({ url, refusedPort, practice }: Shop): string {
  const lines = [
    '',
    ...(refusedPort === null
      ? []
      : [`  Port ${refusedPort} is taken or may not be used: the shop uses a free one.`, '']),
    `  The shop is open:    ${url}`,
    `  Money received:      ${url}/till`,
  ];
  if (!practice) {
    lines.push('', '  It works with the platform of PAYMENTS_BASE_URL: real money moves.');
  } else {
    lines.push(
      `  Operators' pages:    ${url}/dashboard`,
      `  The platform:        ${practice.url} (simulated: no money moves)`,
      '',
      '  Buy something with one of these phones:',
      '',
      ...Object.values(SCENARIOS).map(
        ({ digits, summary }) => `    ${practicePhone(digits)}  ${summary}`,
      ),
      '',
      '  To use a real platform, set PAYMENTS_BASE_URL and the other PAYMENTS_* settings.',
    );
  }
  return [...lines, '  Ctrl-C stops it.', ''].join('\n');
}
