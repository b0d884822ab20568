/** The ids under each key. An empty set is removed. */
export class MemoryIndex {
  private readonly sets = new Map<string, Set<string>>();

  get(key: string): Iterable<string> {
    return this.sets.get(key) ?? [];
  }

  first(key: string): string | undefined {
    return this.sets.get(key)?.values().next().value;
  }

  /** Adds an id to a key, or removes it. */
  set(key: string, id: string, belongs: boolean): void {
    const ids = this.sets.get(key);
    if (belongs) {
      if (ids) ids.add(id);
      else this.sets.set(key, new Set([id]));
    } else if (ids?.delete(id) && ids.size === 0) this.sets.delete(key);
  }
}

interface AmountOfMoney {
  currency: string;
  amountMinor: string;
}

export function amountKey({ currency, amountMinor }: AmountOfMoney): string {
  return `${currency}\n${amountMinor}`;
}

export function payerKey(amount: AmountOfMoney, hash: string): string {
  return `${amountKey(amount)}\n${hash}`;
}
