import { UnknownScenarioError } from '../simulator.errors.js';
import { requirePhoneNumber } from '../values/phone-number.js';
import { SCENARIOS, isScenarioName, type ScenarioName } from './scenarios.constants.js';

/** Chooses the scenario of a phone number: its override, else by its last two digits, else the default. */
export class Scenarios {
  private readonly overrides = new Map<string, ScenarioName>();
  private readonly byDigits = new Map<string, ScenarioName>();

  constructor(readonly fallback: ScenarioName) {
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      if (isScenarioName(name)) this.byDigits.set(scenario.digits, name);
    }
  }

  nameFor(phone: string): ScenarioName {
    return this.overrides.get(phone) ?? this.byDigits.get(phone.slice(-2)) ?? this.fallback;
  }

  override(phone: string, name: ScenarioName | null): void {
    requirePhoneNumber(phone);
    if (name === null) this.overrides.delete(phone);
    else if (isScenarioName(name)) this.overrides.set(phone, name);
    else throw new UnknownScenarioError(String(name));
  }

  /** The overrides, by phone number. */
  overridden(): Record<string, ScenarioName> {
    return Object.fromEntries(this.overrides);
  }
}
