import { SCENARIOS } from '@tillkit/simulator';
import { practicePhone } from './practice/practice-phones.js';
import type { Shop } from './shop-application.js';

/** Returns the text in the terminal when the shop is open: the addresses, and the scenario of each practice phone. */
export function greeting({ url, refusedPort, practice }: Shop): string {
  const lines = [
    '',
    ...(refusedPort === null
      ? []
      : [`  Port ${refusedPort} is in use or not allowed: the shop uses a free port.`, '']),
    `  The shop is open:    ${url}`,
    `  Money received:      ${url}/till`,
  ];
  if (!practice) {
    lines.push('', '  The platform is PAYMENTS_BASE_URL: real money moves.');
  } else {
    lines.push(
      `  Suppliers to pay:    ${url}/suppliers`,
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
  const stops = practice
    ? '  Ctrl-C stops both. The next start goes on with what is open.'
    : '  Ctrl-C stops it.';
  return [...lines, stops, ''].join('\n');
}
