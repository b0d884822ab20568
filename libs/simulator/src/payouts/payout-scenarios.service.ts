import { InvalidInputError, UnknownPayoutScenarioError } from '../simulator.errors.js';
import {
  isPayoutScenarioName,
  PAYOUT_SCENARIOS,
  type PayoutScenarioName,
} from './payout-scenarios.constants.js';

/** Chooses the scenario of a destination: its override, else by its last two digits, else `transferred`. */
export class PayoutScenarios {
  private readonly overrides = new Map<string, PayoutScenarioName>();
  private readonly byDigits = new Map<string, PayoutScenarioName>();

  constructor() {
    for (const [name, { digits }] of Object.entries(PAYOUT_SCENARIOS)) {
      if (isPayoutScenarioName(name)) this.byDigits.set(digits, name);
    }
  }

  /** @param number of a phone, an account or a till; a + in front makes no difference */
  nameFor(number: string): PayoutScenarioName {
    const key = keyOf(number);
    return this.overrides.get(key) ?? this.byDigits.get(key.slice(-2)) ?? 'transferred';
  }

  override(number: string, name: PayoutScenarioName | null): void {
    const key = keyOf(number);
    if (!/^[\w-]{1,100}$/.test(key)) {
      throw new InvalidInputError(
        `"${number}" is not the number of a destination. Give a phone number, an account number or a till number.`,
      );
    }
    if (name === null) this.overrides.delete(key);
    else if (isPayoutScenarioName(name)) this.overrides.set(key, name);
    else throw new UnknownPayoutScenarioError(String(name));
  }

  /** The overrides, by number without +. */
  overridden(): Record<string, PayoutScenarioName> {
    return Object.fromEntries(this.overrides);
  }
}

function keyOf(number: string): string {
  return number.replace(/^\+/, '');
}
