import { SCENARIOS } from './scenarios/scenarios.constants.js';
import type { Simulator } from './simulator.js';

/** The settings of more merchants would push the rest out of sight. */
const MOST_PRINTED = 10;

/** The text that the command prints after the platform has started. */
export function banner(simulator: Simulator): string {
  const facts: [string, string][] = [
    ['URL', simulator.url],
    ...(simulator.redirectUrl
      ? [['Plain HTTP', `${simulator.redirectUrl} (redirects)`] as [string, string]]
      : []),
    ...merchantFacts(simulator),
    ['Seed', String(simulator.seed)],
    ['Pages', `${simulator.url}/`],
    ['Handset', `${simulator.url}/handset/+254700000014`],
    ['Control room', `${simulator.url}/control`],
    ['Control API', `${simulator.url}/_simulator`],
  ];
  return [
    'Tillkit simulator',
    '',
    ...facts.map(([name, value]) => `  ${name.padEnd(14)} ${value}`),
    '',
    scenarioTable(),
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}

/** The settings of each merchant's application; of many merchants, where they are. */
function merchantFacts({ url, merchants }: Simulator): [string, string][] {
  const all = merchants.list();
  if (all.length > MOST_PRINTED) {
    return [
      ['Merchants', `${all.length}, listed at ${url}/_simulator/merchants`],
      ['Credentials', `${url}/_simulator/merchants/<name>`],
    ];
  }
  return all.flatMap(({ name, clientId, clientSecret, apiKey, tillNumbers }) => [
    ...(all.length > 1 ? [['Merchant', name] as [string, string]] : []),
    ['Client id', clientId],
    ['Client secret', clientSecret],
    ['API key', apiKey],
    ['Tills', tillNumbers.join(', ')],
  ]);
}

/** The scenarios as text. */
export function scenarioTable(): string {
  const rows = Object.entries(SCENARIOS).map(
    ([name, { digits, summary }]) => `  …${digits}  ${name.padEnd(20)} ${summary}`,
  );
  return ['What happens to a payment, by the last two digits of the phone number:', ...rows].join(
    '\n',
  );
}
