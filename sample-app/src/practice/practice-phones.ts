import { SCENARIOS } from '@tillkit/simulator';

/** The scenarios of the phones on the checkout page. The terminal lists all scenarios. */
const OFFERED = [
  SCENARIOS.succeeds,
  SCENARIOS.cancelled,
  SCENARIOS.wrong_pin,
  SCENARIOS.insufficient_funds,
  SCENARIOS.no_answer,
  SCENARIOS.callback_lost,
  SCENARIOS.handset,
];

/** Phone numbers whose last two digits decide what the simulated customer does. */
export const PRACTICE_PHONES = OFFERED.map(({ digits, summary }) => ({
  number: practicePhone(digits),
  summary,
}));

/** Returns a number as a customer would type it. */
export function practicePhone(lastDigits: string): string {
  return `07000000${lastDigits}`;
}
