import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { FAULTS, type FaultDescription } from './faults/faults.constants.js';
import { PAYOUT_SCENARIOS } from './payouts/payout-scenarios.constants.js';
import { SCENARIOS } from './scenarios/scenarios.constants.js';
import { EVENT_TYPES, type EventTypeDescription } from './webhook-events/event-types.constants.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const rows = readme
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** Returns the defaults of a fault in the format of the README. */
function defaultsOf({ defaults }: FaultDescription): string {
  return Object.entries(defaults)
    .map(([name, value]) => `\`${name}: ${value}\``)
    .join(', ');
}

describe('The README of the simulator', () => {
  it.each(Object.entries(PAYOUT_SCENARIOS))(
    'describes the payout scenario %s as the code does',
    (name, { digits, summary }) => {
      expect(rows).toContainEqual([`…${digits}`, `\`${name}\``, summary]);
    },
  );

  it.each(Object.entries(SCENARIOS))(
    'describes the scenario %s as the code does',
    (name, { digits, summary }) => {
      expect(rows).toContainEqual([`…${digits}`, `\`${name}\``, summary]);
    },
  );

  it.each(Object.entries<FaultDescription>(FAULTS))(
    'describes the fault %s as the code does',
    (kind, fault) => {
      expect(rows).toContainEqual([`\`${kind}\``, fault.target, fault.summary, defaultsOf(fault)]);
    },
  );

  it.each(Object.entries<EventTypeDescription>(EVENT_TYPES))(
    'describes the event type %s as the code does',
    (name, type) => {
      expect(rows).toContainEqual([`\`${name}\``, type.scopes.join(', '), type.type]);
    },
  );
});
