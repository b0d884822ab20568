import { randomUUID } from 'node:crypto';

/** The items of one kind, by id, in the order in which they were added. */
export class ItemStore<Item extends { readonly id: string }> {
  private readonly byId = new Map<string, Item>();

  add(details: Omit<Item, 'id'>): Item {
    const item = { ...details, id: randomUUID() } as unknown as Item;
    this.byId.set(item.id, item);
    return item;
  }

  find(id: string): Item | undefined {
    return this.byId.get(id);
  }

  all(): Item[] {
    return [...this.byId.values()];
  }
}
