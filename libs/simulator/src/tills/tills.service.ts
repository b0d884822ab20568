/** A till or online payment account of the company. */
export interface Till {
  /** The number that the application uses. */
  readonly number: string;
  /** The number that the platform tells: after aliases. */
  readonly told: string;
}

/** The tills that the platform knows. */
export class Tills {
  private readonly byNumber = new Map<string, Till>();
  private readonly namesByTold = new Map<string, string[]>();

  constructor(numbers: readonly string[], aliases: Readonly<Record<string, string>>) {
    for (const number of new Set([
      ...numbers,
      ...Object.keys(aliases),
      ...Object.values(aliases),
    ])) {
      const told = aliases[number] ?? number;
      this.byNumber.set(number, { number, told });
      this.namesByTold.set(told, [...(this.namesByTold.get(told) ?? []), number]);
    }
  }

  find(number: string): Till | undefined {
    return this.byNumber.get(number);
  }

  numbers(): string[] {
    return [...this.byNumber.keys()];
  }

  /** All numbers of the till that the platform tells as this one. */
  namesOf(told: string): readonly string[] {
    return this.namesByTold.get(told) ?? [told];
  }
}
