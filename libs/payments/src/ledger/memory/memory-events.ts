import type { NewEvent, PaymentsEventName } from '../ledger.events.js';
import type { Claim, ClaimOutcome, DeadLetter, ListenerCall } from '../payments.store.js';
import type { StoredEvent } from '../store.views.js';
import { MemoryQueue } from './memory-queue.js';

interface Call {
  id: string;
  listener: string;
  event: NewEvent;
  attempts: number;
}

/** Events of one account and the listeners that still have to hear them. */
export class MemoryEvents {
  private readonly told = new Map<string, { event: NewEvent; at: number }>();
  private readonly listeners = new Map<PaymentsEventName, Set<string>>();
  private readonly calls = new Map<string, Call>();
  /** Unfinished calls of each listener and stream, in order: only the first may be claimed. */
  private readonly lines = new Map<string, string[]>();
  private readonly dead = new Map<string, { call: Call; letter: DeadLetter }>();
  private readonly queue: MemoryQueue;

  constructor(
    private readonly account: string,
    private readonly now: () => number,
  ) {
    this.queue = new MemoryQueue(now);
  }

  register(listeners: readonly { event: PaymentsEventName; listener: string }[]): void {
    for (const { event, listener } of listeners) {
      this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(listener));
    }
  }

  write(event: NewEvent): void {
    if (this.told.has(event.id)) return;
    this.told.set(event.id, { event, at: this.now() });
    for (const listener of this.listeners.get(event.name) ?? []) {
      this.enqueue({ id: `${event.id}:${listener}`, listener, event, attempts: 0 });
    }
  }

  claim(listeners: readonly string[], limit: number, leaseMs: number): ListenerCall[] {
    const mine = new Set(listeners);
    const allowed = (id: string): boolean => {
      const call = this.calls.get(id) as Call;
      return mine.has(call.listener) && this.lines.get(lineOf(call))?.[0] === id;
    };
    return this.queue.claim(limit, leaseMs, allowed).map(({ id, token, attempts }) => {
      const call = this.calls.get(id) as Call;
      call.attempts = attempts;
      const { listener, event } = call;
      return {
        id,
        token,
        account: this.account,
        listener,
        eventId: event.id,
        event: event.name,
        stream: event.stream,
        payload: event.payload,
        attempts,
      };
    });
  }

  finish(claim: Claim, outcome: ClaimOutcome): boolean {
    if (!this.queue.finish(claim, outcome)) return false;
    if (outcome.kind === 'retry') return true;
    const call = this.calls.get(claim.id) as Call;
    this.leave(call);
    if (outcome.kind === 'given_up') {
      this.dead.set(call.id, {
        call,
        letter: {
          id: call.id,
          eventId: call.event.id,
          event: call.event.name,
          listener: call.listener,
          attempts: call.attempts,
          lastError: outcome.error,
          diedAt: new Date(this.now()),
        },
      });
    }
    return true;
  }

  renew(claims: readonly Claim[], leaseMs: number): string[] {
    return claims.filter((claim) => !this.queue.renew(claim, leaseMs)).map(({ id }) => id);
  }

  /** Events of one stream, or all, in order, each with its unfinished calls. */
  list(stream?: string): StoredEvent[] {
    const unfinished = [...this.calls.values()].map((call) => ({
      call,
      state: 'pending' as const,
      lastError: null,
    }));
    const dead = [...this.dead.values()].map(({ call, letter }) => ({
      call,
      state: 'dead' as const,
      lastError: letter.lastError,
    }));
    return [...this.told.values()]
      .filter(({ event }) => stream === undefined || event.stream === stream)
      .map(({ event, at }) => ({
        id: event.id,
        name: event.name,
        stream: event.stream,
        at: new Date(at),
        via: event.payload.via,
        calls: [...unfinished, ...dead]
          .filter(({ call }) => call.event.id === event.id)
          .map(({ call, state, lastError }) => ({
            id: call.id,
            listener: call.listener,
            state,
            attempts: call.attempts,
            lastError,
          })),
      }));
  }

  deadLetters(limit: number): DeadLetter[] {
    return [...this.dead.values()].slice(0, limit).map(({ letter }) => letter);
  }

  replay(id?: string): number {
    const chosen = [...this.dead.values()].filter(({ call }) => id === undefined || call.id === id);
    for (const { call } of chosen) {
      this.dead.delete(call.id);
      this.enqueue({ ...call, attempts: 0 });
    }
    return chosen.length;
  }

  private enqueue(call: Call): void {
    this.calls.set(call.id, call);
    this.lines.set(lineOf(call), [...(this.lines.get(lineOf(call)) ?? []), call.id]);
    this.queue.add(call.id);
  }

  private leave(call: Call): void {
    this.calls.delete(call.id);
    const rest = (this.lines.get(lineOf(call)) ?? []).filter((id) => id !== call.id);
    if (rest.length > 0) this.lines.set(lineOf(call), rest);
    else this.lines.delete(lineOf(call));
  }
}

function lineOf(call: Call): string {
  return `${call.listener}\n${call.event.stream}`;
}
