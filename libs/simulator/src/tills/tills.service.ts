/** A till or online payment account of the company. */
export interface Till {
  /** The number that the application uses. */
  readonly number: string;
  /** The number that the platform sends, after aliases. */
  readonly reported: string;
}

/** The tills of the company. */
export class Tills {
  private readonly byNumber = new Map<string, Till>();
  private readonly numbersByReported = new Map<string, string[]>();

  constructor(
    numbers: readonly string[],
    readonly aliases: Readonly<Record<string, string>>,
  ) {
    for (const number of new Set([
      ...numbers,
      ...Object.keys(aliases),
      ...Object.values(aliases),
    ])) {
      const reported = aliases[number] ?? number;
      this.byNumber.set(number, { number, reported });
      this.numbersByReported.set(reported, [
        ...(this.numbersByReported.get(reported) ?? []),
        number,
      ]);
    }
  }

  find(number: string): Till | undefined {
    return this.byNumber.get(number);
  }

  /** The till that pays when a request names none. */
  first(): Till | undefined {
    return this.byNumber.values().next().value;
  }

  numbers(): string[] {
    return [...this.byNumber.keys()];
  }

  /** All numbers of the till that has this reported number. */
  numbersOf(reported: string): readonly string[] {
    return this.numbersByReported.get(reported) ?? [reported];
  }
}
