import { environmentOf } from './pages/environment.format.js';
import { SCENARIOS } from './scenarios/scenarios.constants.js';
import type { Simulator } from './simulator.js';

/** With more merchants, their settings would push the rest out of sight. */
const MOST_PRINTED = 10;

/** Returns the text that the command prints after the platform has started. */
export function banner(simulator: Simulator): string {
  const facts: [string, string][] = [
    ['URL', simulator.url],
    ...(simulator.redirectUrl
      ? [['Plain HTTP', `${simulator.redirectUrl} (redirects)`] as [string, string]]
      : []),
    ...merchantFacts(simulator),
    ['Seed', String(simulator.seed)],
    ['Page', `${simulator.url}/`],
    ['Control API', `${simulator.url}/_simulator`],
  ];
  return [
    'Tillkit simulator',
    '',
    ...facts.map(([name, value]) => `  ${name.padEnd(14)} ${value}`),
    '',
    ...environments(simulator),
    scenarioTable(),
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}

/** Returns the tills of each merchant. For many merchants, the text says where their settings are. */
function merchantFacts({ url, merchants }: Simulator): [string, string][] {
  const all = merchants.list();
  if (all.length > MOST_PRINTED) {
    return [
      ['Merchants', `${all.length}, listed at ${url}/_simulator/merchants`],
      ['Credentials', `${url}/_simulator/merchants/<name>`],
    ];
  }
  return all.map(({ name, tillNumbers }) => [
    all.length > 1 ? `Tills of ${name}` : 'Tills',
    tillNumbers.join(', '),
  ]);
}

/** Returns the settings of each merchant's application, as lines to copy. */
function environments(simulator: Simulator): string[] {
  const all = simulator.merchants.list();
  if (all.length > MOST_PRINTED) return [];
  return all.map((merchant) => {
    const whose = all.length > 1 ? ` for ${merchant.name}` : '';
    return `For the .env of your application${whose}:\n\n${environmentOf(simulator, merchant)}`;
  });
}

/** Returns the scenarios as text. */
function scenarioTable(): string {
  const rows = Object.entries(SCENARIOS).map(
    ([name, { digits, summary }]) => `  …${digits}  ${name.padEnd(20)} ${summary}`,
  );
  return ['What happens to a payment, by the last two digits of the phone number:', ...rows].join(
    '\n',
  );
}
