import { REDACTED_ERROR, UNHEARD_REDACTED_AFTER_MS, withoutPersons } from '../event.redaction.js';
import type { NewEvent, PaymentsEventName } from '../ledger.events.js';
import type {
  Claim,
  ClaimOutcome,
  DeadLetter,
  ListenerCall,
  UnheardListener,
} from '../payments.store.js';
import type { Via } from '../payment.js';
import type { StoredEvent } from '../store.views.js';
import { MemoryQueue } from './memory-queue.js';

/** More calls of one listener than this are not counted. */
const MOST_COUNTED = 1_000;

/** How far a listener is with an event: what is shown of a call, and what stays when it is done. */
type Progress = StoredEvent['calls'][number];

interface Call extends Pick<Progress, 'id' | 'listener'> {
  event: NewEvent;
  progress: Progress;
}

/** An event that was told, and what became of each call. */
interface Told {
  event: Omit<NewEvent, 'payload'>;
  via: Via;
  at: number;
  calls: Progress[];
}

/** Events of one account and the listeners that still have to hear them. */
export class MemoryEvents {
  private readonly told = new Map<string, Told>();
  private readonly listeners = new Map<PaymentsEventName, Set<string>>();
  /** Calls that wait. */
  private readonly calls = new Map<string, Call>();
  /** Unfinished calls of each listener and stream, in order: only the first may be claimed. */
  private readonly lines = new Map<string, string[]>();
  private readonly dead = new Map<string, Call>();
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

  forget(listener: string): number {
    for (const known of this.listeners.values()) known.delete(listener);
    const unfinished = [...this.calls.values(), ...this.dead.values()];
    const forgotten = unfinished.filter((call) => call.listener === listener);
    for (const call of forgotten) {
      this.leave(call);
      this.queue.drop(call.id);
      this.dead.delete(call.id);
      const told = this.told.get(call.event.id);
      if (told) told.calls = told.calls.filter((progress) => progress !== call.progress);
    }
    return forgotten.length;
  }

  write(event: NewEvent): void {
    if (this.told.has(event.id)) return;
    const { payload, ...rest } = event;
    const calls = [...(this.listeners.get(event.name) ?? [])].map((listener): Progress => ({
      id: `${event.id}:${listener}`,
      listener,
      state: 'pending',
      attempts: 0,
      lastError: null,
      endedAt: null,
    }));
    this.told.set(event.id, { event: rest, via: payload.via, at: this.now(), calls });
    for (const progress of calls) {
      const { id, listener } = progress;
      this.enqueue({ id, listener, event, progress });
    }
  }

  claim(
    listeners: readonly string[],
    limit: number,
    leaseMs: number,
    mostOfEach?: readonly number[],
  ): ListenerCall[] {
    const room = new Map(listeners.map((id, index) => [id, mostOfEach?.[index] ?? limit]));
    const allowed = (id: string): boolean => {
      const call = this.calls.get(id) as Call;
      const left = room.get(call.listener) ?? 0;
      if (left < 1 || this.lines.get(lineOf(call))?.[0] !== id) return false;
      room.set(call.listener, left - 1);
      return true;
    };
    return this.queue.claim(limit, leaseMs, allowed).map(({ id, token, attempts }) => {
      const call = this.calls.get(id) as Call;
      const { listener, event, progress } = call;
      progress.attempts = attempts;
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
    const call = this.calls.get(claim.id) as Call;
    const { progress } = call;
    progress.lastError = outcome.kind === 'done' ? null : outcome.error;
    if (outcome.kind === 'retry') return true;
    this.leave(call);
    progress.endedAt = new Date(this.now());
    progress.state = outcome.kind === 'done' ? 'done' : 'dead';
    if (progress.state === 'dead') this.dead.set(call.id, call);
    return true;
  }

  renew(claims: readonly Claim[], leaseMs: number): string[] {
    return claims.filter((claim) => !this.queue.renew(claim, leaseMs)).map(({ id }) => id);
  }

  /** Events of one stream, or all, in order, each with its calls. */
  list(stream?: string): StoredEvent[] {
    return [...this.told.values()]
      .filter(({ event }) => stream === undefined || event.stream === stream)
      .map(({ event, via, at, calls }) => ({
        ...event,
        at: new Date(at),
        via,
        calls: calls.map((progress) => ({ ...progress })),
      }));
  }

  deadLetters(limit: number): DeadLetter[] {
    return [...this.dead.values()].slice(0, limit).map(({ id, listener, event, progress }) => ({
      id,
      eventId: event.id,
      event: event.name,
      listener,
      attempts: progress.attempts,
      lastError: progress.lastError as string,
      diedAt: progress.endedAt as Date,
    }));
  }

  replay(id?: string): number {
    const chosen = [...this.dead.values()].filter((call) => id === undefined || call.id === id);
    for (const call of chosen) {
      this.dead.delete(call.id);
      Object.assign(call.progress, {
        state: 'pending',
        attempts: 0,
        lastError: null,
        endedAt: null,
      });
      this.enqueue(call);
    }
    return chosen.length;
  }

  unheard(dueForMs: number): UnheardListener[] {
    const listeners = new Set([...this.calls.values()].map(({ listener }) => listener));
    return [...listeners].toSorted().flatMap((listener) => {
      const calls = [...this.calls.values()].filter((call) => call.listener === listener);
      if (calls.some(({ id }) => this.queue.isLeased(id))) return [];
      const firsts = calls.filter((call) => this.lines.get(lineOf(call))?.[0] === call.id);
      const waitingMs = this.now() - Math.min(...firsts.map(({ id }) => this.queue.freeAt(id)));
      return waitingMs >= dueForMs
        ? [{ listener, calls: Math.min(calls.length, MOST_COUNTED), waitingMs }]
        : [];
    });
  }

  /** Of what every listener has heard only its id is kept, so that it is not told again, and in the end nothing. */
  purge({ personalDataMs, dedupeForMs }: { personalDataMs: number; dedupeForMs: number }): void {
    for (const [id, told] of this.told) {
      const age = this.now() - told.at;
      if (age < personalDataMs) continue;
      if (told.calls.every(({ state }) => state === 'done')) {
        told.calls = [];
        if (age >= dedupeForMs) this.told.delete(id);
      } else this.redact(told);
    }
  }

  /** What nobody heard is kept for whoever has the listener again, without who paid. */
  private redact({ calls }: Told): void {
    const before = this.now() - UNHEARD_REDACTED_AFTER_MS;
    const unfinished = calls.flatMap(({ id }) => this.calls.get(id) ?? this.dead.get(id) ?? []);
    const isOld = unfinished.every(
      ({ id, progress }) => (progress.endedAt?.getTime() ?? this.queue.freeAt(id)) <= before,
    );
    for (const call of isOld ? unfinished : []) {
      call.event = { ...call.event, payload: withoutPersons(call.event.payload) };
      if (call.progress.lastError !== null) call.progress.lastError = REDACTED_ERROR;
    }
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
