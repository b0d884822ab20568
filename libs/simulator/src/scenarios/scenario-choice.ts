/** The scenarios of one kind of number. */
interface Scenarios<Name extends string> {
  readonly all: Readonly<Record<Name, { readonly digits: string }>>;
  /** The scenario of numbers whose last digits are not listed. */
  readonly fallback: Name;
  /** Returns the form in which a number is kept. */
  readonly keyOf: (number: string) => string;
  /** @throws InvalidInputError when the text is no such number */
  readonly assertNumber: (number: string) => void;
  readonly errorOf: (unknownName: string) => Error;
}

/** Chooses the scenario of a number: the one that was set, else the one of its last two digits, else the fallback. */
export class ScenarioChoice<Name extends string> {
  private readonly overrides = new Map<string, Name>();
  private readonly byDigits: ReadonlyMap<string, Name>;

  constructor(private readonly scenarios: Scenarios<Name>) {
    const names = Object.keys(scenarios.all) as Name[];
    this.byDigits = new Map(names.map((name) => [scenarios.all[name].digits, name]));
  }

  nameFor(number: string): Name {
    const { keyOf, fallback } = this.scenarios;
    return this.overrides.get(keyOf(number)) ?? this.byDigits.get(number.slice(-2)) ?? fallback;
  }

  /** Sets the scenario of a number. With null, its last digits choose again. */
  override(number: string, name: Name | null): void {
    const { all, keyOf, assertNumber, errorOf } = this.scenarios;
    assertNumber(number);
    if (name === null) this.overrides.delete(keyOf(number));
    else if (Object.hasOwn(all, name)) this.overrides.set(keyOf(number), name);
    else throw errorOf(String(name));
  }

  /** Returns the scenarios that were set, by number. */
  overridden(): Record<string, Name> {
    return Object.fromEntries(this.overrides) as Record<string, Name>;
  }
}
