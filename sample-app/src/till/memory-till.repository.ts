import { Injectable } from '@nestjs/common';
import type { ThanksState, TillEntry } from './till.entry.js';
import { TillRepository, type ThankedEntry } from './till.repository.js';

/** The till's money in this process only. */
@Injectable()
export class MemoryTillRepository extends TillRepository {
  private readonly entries = new Map<string, TillEntry>();
  private readonly thanks = new Map<string, ThanksState>();

  override add(entry: TillEntry): Promise<void> {
    if (!this.entries.has(entry.id)) this.entries.set(entry.id, entry);
    return Promise.resolve();
  }

  override latest(limit: number): Promise<ThankedEntry[]> {
    const newest = [...this.entries.values()].reverse().slice(0, limit);
    return Promise.resolve(newest.map((entry) => ({ ...entry, thanks: this.thanksOf(entry) })));
  }

  override beginThanks(webhookEventId: string): Promise<boolean> {
    if (this.thanks.has(webhookEventId)) return Promise.resolve(false);
    this.thanks.set(webhookEventId, 'asked');
    return Promise.resolve(true);
  }

  override endThanks(webhookEventId: string, state: ThanksState): Promise<void> {
    this.thanks.set(webhookEventId, state);
    return Promise.resolve();
  }

  override dropThanks(webhookEventId: string): Promise<void> {
    this.thanks.delete(webhookEventId);
    return Promise.resolve();
  }

  override thanksForReference(reference: string): Promise<ThanksState | null> {
    return Promise.resolve(this.thanksOf(this.findEntry((entry) => entry.reference === reference)));
  }

  override findByWebhookEvent(webhookEventId: string): Promise<TillEntry | null> {
    const entry = this.findEntry((candidate) => candidate.webhookEventId === webhookEventId);
    return Promise.resolve(entry);
  }

  private findEntry(matches: (entry: TillEntry) => boolean): TillEntry | null {
    return [...this.entries.values()].find(matches) ?? null;
  }

  private thanksOf(entry: TillEntry | null): ThanksState | null {
    return entry?.webhookEventId ? (this.thanks.get(entry.webhookEventId) ?? null) : null;
  }
}
