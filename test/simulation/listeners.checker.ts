import type { ReplicaAccount } from './replica.account.js';
import type { Simulation } from './history.simulation.js';
import { LISTENERS } from './simulated.listeners.js';

/** A lease of 30 s lasts at least this long after its last renewal. */
const LEASE_HOLDS_MS = 15_000;

/** Checks that each call of a listener runs once at a time, in order, and not again after it was acknowledged. */
export class ListenersChecker {
  /** The number of times that each listener call succeeded, by `listener eventId`. */
  readonly receivedBy = new Map<string, number>();
  /** Listener calls that run now. */
  private readonly running = new Map<string, { replica: ReplicaAccount; at: number }>();
  private readonly completed = new Set<string>();
  private readonly givenUp = new Set<string>();
  /** The calls of the class `Orders`, by operation. */
  private readonly outcomes = new Map<string, { call: string; place: number }[]>();
  /** Operation and position of each of its events, in the order in which events were written. */
  private readonly lines = new Map<string, { operationId: string; place: number }>();
  /** Position of the latest event that each listener was called for, by listener and operation. */
  private readonly latestCalled = new Map<string, number>();
  private readonly callNames = new Map<string, string>();

  constructor(private readonly simulation: Simulation) {}

  /** The simulation calls this when an event of an operation is committed. */
  eventWritten(id: string, event: string, operationId: string): void {
    const place = this.lines.size + 1;
    this.lines.set(id, { operationId, place });
    const outcomes = this.outcomes.get(operationId) ?? [];
    const listening = LISTENERS.filter(
      (each) => each.event === event && each.id.startsWith('Orders.'),
    );
    outcomes.push(...listening.map((each) => ({ call: `${each.id} ${id}`, place })));
    this.outcomes.set(operationId, outcomes);
  }

  callsClaimed(items: readonly { id: string; listener?: string; eventId?: string }[]): void {
    for (const { id, listener, eventId } of items) {
      if (listener && eventId) this.callNames.set(id, `${listener} ${eventId}`);
    }
  }

  /** True when a process has claimed a call with this id. */
  knows(callId: string): boolean {
    return this.callNames.has(callId);
  }

  callFinished(args: readonly unknown[], result: unknown): void {
    const [claim, outcome] = args as [{ id: string }, { kind?: string } | undefined];
    this.simulation.crossTalk.callFinished(claim.id);
    const name = this.callNames.get(claim.id);
    if (name && result === true && outcome?.kind === 'done') this.completed.add(name);
    if (name && outcome?.kind === 'given_up') this.givenUp.add(name);
  }

  listenerCalled(replica: ReplicaAccount, id: string, event: string, eventId: string): void {
    const name = `${id} ${eventId}`;
    const { now } = this.simulation.scheduler;
    const other = this.running.get(name);
    if (
      other &&
      other.replica !== replica &&
      other.replica.alive &&
      now - other.at < LEASE_HOLDS_MS
    ) {
      this.simulation.violate(
        'call claimed twice',
        `${replica.name} calls ${id} for ${event} while ${other.replica.name} holds the call under a lease`,
      );
    }
    this.running.set(name, { replica, at: now });
    if (this.completed.has(name)) {
      this.simulation.violate(
        'completed call repeated',
        `${id} is called for ${event} again after the call was acknowledged`,
      );
    }
    if (this.receivedBy.has(name)) this.simulation.reached('listener call repeated');
    this.inOrder(id, event, eventId);
    this.afterWhatItUndoes(id, event, eventId);
  }

  /** A method of a class is called for a reversal only after another method of the class has handled the event that it undoes. */
  private afterWhatItUndoes(listener: string, event: string, eventId: string): void {
    const line = this.lines.get(eventId);
    if (!line || !listener.startsWith('Orders.')) return;
    for (const { call, place } of this.outcomes.get(line.operationId) ?? [])
      if (place < line.place && !this.completed.has(call) && !this.givenUp.has(call))
        this.simulation.violate(
          'undone before it was done',
          `${listener} is called for ${event} before ${call} was handled`,
        );
  }

  /** Each listener is called for the events of one payment in the order in which they were written. */
  private inOrder(listener: string, event: string, eventId: string): void {
    const line = this.lines.get(eventId);
    if (!line) return;
    const name = `${listener} ${line.operationId}`;
    const latest = this.latestCalled.get(name) ?? 0;
    if (line.place < latest)
      this.simulation.violate(
        'event order',
        `${listener} is called for ${event} after a later event`,
      );
    this.latestCalled.set(name, Math.max(latest, line.place));
  }

  listenerEnded(id: string, eventId: string): void {
    this.running.delete(`${id} ${eventId}`);
  }

  received(id: string, event: string, eventId: string): void {
    if (!this.simulation.observer.events.has(eventId)) {
      this.simulation.violate(
        'event never written',
        `${id} receives ${event} ${eventId}, which was never written`,
      );
    }
    const name = `${id} ${eventId}`;
    this.receivedBy.set(name, (this.receivedBy.get(name) ?? 0) + 1);
  }
}
