import type { Shop } from './shop.application.js';
import { DASHBOARD_PATH } from './web/places.catalogue.js';

/** What the terminal says when the shop is open: where to click, and what the phones do. */
export function greeting({ url, takenPort, practice }: Shop): string {
  const lines = [
    '',
    ...(takenPort === null
      ? []
      : [`  Port ${takenPort} is taken or may not be used: the shop took a free one.`, '']),
    `  The shop is open:    ${url}`,
    `  What it takes in:    ${url}/till`,
  ];
  if (!practice) {
    lines.push('', '  It talks to the platform of PAYMENTS_BASE_URL: money really moves.');
  } else {
    lines.push(
      `  What operators see:  ${url}/${DASHBOARD_PATH}`,
      `  The platform:        ${practice.url} (simulated: no money moves)`,
      '',
      '  Buy something with one of these phones:',
      '',
      ...practice.phones.map(({ number, summary }) => `    ${number}  ${summary}`),
      '',
      '  To use a real platform, set PAYMENTS_BASE_URL and the other PAYMENTS_* settings.',
    );
  }
  return [...lines, '  Ctrl-C stops it.', ''].join('\n');
}
