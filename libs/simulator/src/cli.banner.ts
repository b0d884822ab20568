import { SCENARIOS } from './scenarios/scenarios.constants.js';
import type { Simulator } from './simulator.js';

/** The text that the command prints after the platform has started. */
export function banner(simulator: Simulator): string {
  const facts: [string, string][] = [
    ['URL', simulator.url],
    ...(simulator.redirectUrl
      ? [['Plain HTTP', `${simulator.redirectUrl} (redirects)`] as [string, string]]
      : []),
    ['Client id', simulator.clientId],
    ['Client secret', simulator.clientSecret],
    ['API key', simulator.apiKey],
    ['Tills', simulator.tillNumbers.join(', ')],
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

/** The scenarios as text. */
export function scenarioTable(): string {
  const rows = Object.entries(SCENARIOS).map(
    ([name, { digits, summary }]) => `  …${digits}  ${name.padEnd(20)} ${summary}`,
  );
  return ['What happens to a payment, by the last two digits of the phone number:', ...rows].join(
    '\n',
  );
}
