import { InvalidInputError } from '../simulator.errors.js';
import { requireNumber, type NumberRange } from '../values/number-range.js';
import { requireShortText } from '../values/short-text.js';
import type { FaultOptions } from './faults.constants.js';
import type { FaultSubject } from './fault-subject.js';

/** The values that a parameter of faults may have. */
export type FaultParameter =
  ({ readonly type: 'number' } & NumberRange) | { readonly type: 'text' | 'boolean' };

const DAY_MS = 86_400_000;

/** Longest delay of a fault or a delivery. It is longer than any test needs, and short enough for the clock. */
export const DELAY: NumberRange = { min: 0, max: 365 * DAY_MS };

/** Number of copies of a delivery. They are sent at the same time. */
export const COPIES: NumberRange = { min: 1, max: 1_000, isWhole: true };

export const FAULT_PARAMETERS: Readonly<Record<keyof FaultOptions, FaultParameter>> = {
  times: { type: 'number', ...COPIES },
  ms: { type: 'number', ...DELAY },
  status: { type: 'number', min: 200, max: 599, isWhole: true },
  retryAfter: { type: 'number', min: 0, max: 86_400, isWhole: true },
  paymentStatus: { type: 'text' },
  commits: { type: 'boolean' },
};

const MATCHED = ['merchant', 'phone', 'paymentId', 'resource', 'delivery', 'topic'];

/** @throws InvalidInputError that names the parameter */
export function checkFault(options: FaultOptions, match: FaultSubject): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) checkParameter(name, value);
  }
  for (const [name, value] of Object.entries(match)) {
    if (value === undefined) continue;
    if (!MATCHED.includes(name)) {
      throw new InvalidInputError(`match.${name} is unknown. Use ${MATCHED.join(', ')}.`);
    }
    requireShortText(`match.${name}`, value);
  }
}

function checkParameter(name: string, value: unknown): void {
  const field = `options.${name}`;
  const parameter = Object.hasOwn(FAULT_PARAMETERS, name)
    ? FAULT_PARAMETERS[name as keyof FaultOptions]
    : undefined;
  if (!parameter) {
    const names = Object.keys(FAULT_PARAMETERS).join(', ');
    throw new InvalidInputError(`${field} is unknown. Use ${names}.`);
  }
  if (parameter.type === 'number') requireNumber(field, value, parameter);
  else if (parameter.type === 'text') requireShortText(field, value);
  else if (typeof value !== 'boolean') {
    throw new InvalidInputError(`${field} must be true or false.`);
  }
}
