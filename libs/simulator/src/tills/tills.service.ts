import { tillAccount, type AccountName } from '../balances/account-name.js';
import { Refusal } from '../server/platform-answer.dto.js';

/** A till or online payment account of the company. */
export interface Till {
  /** The number that the application uses. */
  readonly number: string;
  /** The number that the platform sends, after aliases. */
  readonly reported: string;
}

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

  /** Returns the till of a scope; null for the whole company. @throws Refusal */
  inScope(scope: 'till' | 'company', reference: string | null = null): Till | null {
    if (scope === 'company') {
      if (reference) throw new Refusal(400, 'scope_reference must be empty for the scope company');
      return null;
    }
    if (!reference) throw new Refusal(400, 'scope_reference is missing');
    const till = this.find(reference);
    if (!till) throw new Refusal(422, `scope_reference ${reference} is not a known till`);
    return till;
  }

  /** Returns the till that pays when a request names none. */
  first(): Till | undefined {
    return this.byNumber.values().next().value;
  }

  /** Returns the till that pays, and its account; the first one when a request names none. @throws Refusal 400 for an unknown till */
  payer(number?: string | null): { tillNumber: string; source: AccountName } {
    const till = number ? this.find(number) : this.first();
    if (!till) throw new Refusal(400, 'Source identifier is invalid');
    return { tillNumber: till.reported, source: tillAccount(till.reported) };
  }

  numbers(): string[] {
    return [...this.byNumber.keys()];
  }

  /** Returns all numbers of the till that has this reported number. */
  numbersOf(reported: string): readonly string[] {
    return this.numbersByReported.get(reported) ?? [reported];
  }
}
