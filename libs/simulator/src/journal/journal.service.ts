import type { AttemptEntry, NoteEntry, JournalEntry, RequestEntry } from './journal-entry.js';

type Unnumbered<Entry> = Omit<Entry, 'sequence' | 'at' | 'type'>;

/** Creates the entry at its first read: masking is slow, and most entries are never read. */
type Draft = () => JournalEntry;

/**
 * The latest requests that the platform received and deliveries that it sent. Secrets are masked.
 *
 * @publicApi
 */
export class Journal {
  private readonly drafts: (Draft | JournalEntry)[] = [];
  private readonly listeners = new Set<(entry: JournalEntry) => void>();
  private sequence = 0;

  constructor(
    private readonly size: number,
    private readonly now: () => number,
  ) {}

  /**
   * Returns the kept entries, oldest first. With `after`, only entries with a higher sequence number; with `merchant`, only those of the merchant
   * with this name.
   */
  entries(after = 0, merchant?: string): JournalEntry[] {
    const first = this.sequence - Math.min(this.size, this.sequence);
    const entries: JournalEntry[] = [];
    for (let number = Math.max(first, after) + 1; number <= this.sequence; number++) {
      const entry = this.read(number % this.size);
      if (merchant === undefined || entry.merchant === merchant) entries.push(entry);
    }
    return entries;
  }

  /** Calls `listener` with each new entry. @returns the function that ends the subscription. */
  subscribe(listener: (entry: JournalEntry) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  request(make: () => Unnumbered<RequestEntry>): void {
    this.add((base) => ({ type: 'request', ...base, ...make() }));
  }

  attempt(make: () => Unnumbered<AttemptEntry>): void {
    this.add((base) => ({ type: 'attempt', ...base, ...make() }));
  }

  note(
    title: string,
    about: Partial<
      Pick<NoteEntry, 'merchant' | 'phone' | 'paymentId' | 'deliveryId' | 'detail'>
    > = {},
  ): void {
    const nothing = { merchant: null, phone: null, paymentId: null, deliveryId: null, detail: '' };
    this.add((base) => ({ type: 'note', ...base, title, ...nothing, ...about }));
  }

  private add(make: (base: { sequence: number; at: string }) => JournalEntry): void {
    const sequence = ++this.sequence;
    const now = this.now();
    const draft = () => make({ sequence, at: new Date(now).toISOString() });
    if (this.size > 0) this.drafts[sequence % this.size] = draft;
    if (this.listeners.size === 0) return;
    const entry = this.size > 0 ? this.read(sequence % this.size) : draft();
    for (const listener of this.listeners) listener(entry);
  }

  private read(slot: number): JournalEntry {
    const kept = this.drafts[slot]!;
    const entry = typeof kept === 'function' ? kept() : kept;
    this.drafts[slot] = entry;
    return entry;
  }
}
