/** Which ids stand under which key. What is empty is forgotten. */
export class MemoryIndex {
  private readonly sets = new Map<string, Set<string>>();

  get(key: string): Iterable<string> {
    return this.sets.get(key) ?? [];
  }

  first(key: string): string | undefined {
    return this.sets.get(key)?.values().next().value;
  }

  /** Puts an id under a key, or takes it away. */
  set(key: string, id: string, belongs: boolean): void {
    const ids = this.sets.get(key);
    if (belongs) {
      if (ids) ids.add(id);
      else this.sets.set(key, new Set([id]));
    } else if (ids?.delete(id) && ids.size === 0) this.sets.delete(key);
  }
}
