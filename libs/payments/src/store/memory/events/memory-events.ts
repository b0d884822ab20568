import {
  PENDING_REDACTED_AFTER_MS,
  REDACTED_ERROR,
  withoutPersons,
} from '../../event-payload-redaction.js';
import {
  AT_ONCE_MS,
  outcomeClassOf,
  type DeadLetter,
  type ReplayedLetter,
  type ListenerCall,
  type MissingListener,
  type StoredEvent,
  type WantedCalls,
} from '../../events.store.js';
import type { PaymentsEventName } from '../../payments.events.js';
import type { CallClaim, WrittenCall } from '../../ledger.store.js';
import type { NewEvent } from '../../new-event.js';
import type { Via } from '../../operation.js';
import type { Claim, ClaimOutcome } from '../../../work/claim.js';
import type { Due, Waiting } from '../memory-due.js';
import { MemoryQueue } from '../memory-queue.js';

/** Calls of one listener are counted up to this number. */
const MOST_COUNTED = 1_000;

/** The state of a listener call. It stays when the call is done. */
type Progress = Omit<StoredEvent['calls'][number], 'dueAt'>;

/** An event with a name that this version knows. */
type NamedEvent = NewEvent & { name: PaymentsEventName };

interface Call extends Pick<Progress, 'id' | 'listener'> {
  event: NamedEvent;
  isRedacted?: true;
  /** It was a dead letter. */
  isLate?: true;
  progress: Progress;
  /** When it began to wait. */
  since: number;
}

/** An emitted event with the state of its calls. */
interface Emitted {
  event: Omit<NamedEvent, 'payload'>;
  via: Via;
  at: number;
  calls: Progress[];
}

/** Events and listener calls of one account. */
export class MemoryEvents {
  private readonly emitted = new Map<string, Emitted>();
  private readonly listeners = new Map<PaymentsEventName, Set<string>>();
  /** Waiting calls. */
  private readonly calls = new Map<string, Call>();
  /** Ids of the waiting calls of each listener and stream, in order: only the first may be claimed. */
  private readonly queues = new Map<string, string[]>();
  /** The waiting calls of each class and stream for outcomes, in order: only those of the first event may be claimed. */
  private readonly outcomes = new Map<string, Call[]>();
  private readonly dead = new Map<string, Call>();
  private readonly queue: MemoryQueue;

  constructor(
    readonly account: string,
    private readonly now: () => number,
  ) {
    this.queue = new MemoryQueue(now);
  }

  register(listeners: readonly { event: PaymentsEventName; listener: string }[]): void {
    for (const { event, listener } of listeners) {
      this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(listener));
    }
  }

  deleteListener(listener: string): number {
    for (const listeners of this.listeners.values()) listeners.delete(listener);
    const unfinished = [...this.calls.values(), ...this.dead.values()];
    const deleted = unfinished.filter((call) => call.listener === listener);
    for (const call of deleted) {
      this.leave(call);
      this.queue.drop(call.id);
      this.dead.delete(call.id);
      const emitted = this.emitted.get(call.event.id);
      if (emitted) emitted.calls = emitted.calls.filter((progress) => progress !== call.progress);
    }
    return deleted.length;
  }

  write(written: NewEvent, claim?: CallClaim): WrittenCall[] {
    const event = written as NamedEvent;
    if (this.emitted.has(event.id)) return [];
    const { payload, ...rest } = event;
    const calls = [...(this.listeners.get(event.name) ?? [])].map((listener): Progress => ({
      id: `${event.id}:${listener}`,
      listener,
      state: 'pending',
      attempts: 0,
      lastError: null,
      endedAt: null,
    }));
    this.emitted.set(event.id, { event: rest, via: payload.via, at: this.now(), calls });
    return calls.map((progress) => {
      const { id, listener } = progress;
      const call = { id, listener, event, progress, since: this.now() };
      this.enqueue(call);
      if (!this.isFirst(call) || !claim?.listeners.includes(listener))
        return { id, listener, eventId: event.id, token: null };
      const { token, attempts } = this.queue.claim(id, claim.leaseMs);
      progress.attempts = attempts;
      return { id, listener, eventId: event.id, token };
    });
  }

  amountOf(id: string): string | null {
    return this.emitted.get(id)?.event.amount ?? null;
  }

  due({ most, listeners }: WantedCalls, leaseMs: number): Due<ListenerCall>[] {
    const room = new Map(listeners.map((listener) => [listener.id, listener.most]));
    const allowed = (id: string): boolean => {
      const call = this.calls.get(id) as Call;
      const left = room.get(call.listener) ?? 0;
      if (left < 1 || !this.isFirst(call)) return false;
      room.set(call.listener, left - 1);
      return true;
    };
    return this.queue.due(most, leaseMs, allowed).map(({ dueAt, claim }) => ({
      dueAt,
      claim: () => {
        const { id, token, attempts } = claim();
        const { listener, event, progress, isLate } = this.calls.get(id) as Call;
        progress.attempts = attempts;
        return {
          id,
          token,
          account: this.account,
          listener,
          eventId: event.id,
          event: event.name,
          stream: event.stream,
          // Each listener gets its own copy.
          payload: { ...structuredClone(event.payload), ...(isLate && { late: true }) },
          attempts,
          ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
        };
      },
    }));
  }

  /** The calls that no other call of their stream precedes. */
  waiting(): (Waiting & { listener: string })[] {
    return this.queue.waiting().flatMap((work) => {
      const call = this.calls.get(work.id) as Call;
      return this.isFirst(call) ? [{ ...work, listener: call.listener }] : [];
    });
  }

  finish(claim: Claim, outcome: ClaimOutcome): boolean {
    if (!this.queue.finish(claim, outcome)) return false;
    const call = this.calls.get(claim.id) as Call;
    const { progress } = call;
    progress.lastError = outcome.kind === 'done' ? null : outcome.error;
    if (outcome.kind === 'retry') return true;
    this.leave(call);
    progress.state = outcome.kind === 'done' ? 'done' : 'dead';
    const isFirst = outcome.kind === 'done' && progress.attempts === 1;
    const isAtOnce = isFirst && this.now() - call.since <= AT_ONCE_MS;
    progress.endedAt = isAtOnce ? null : new Date(this.now());
    if (progress.state === 'dead') this.dead.set(call.id, call);
    return true;
  }

  renew(claim: Claim, leaseMs: number): boolean {
    return this.queue.renew(claim, leaseMs);
  }

  /** The events of one stream, or all events, in order, each with its calls. */
  list(stream?: string): StoredEvent[] {
    return [...this.emitted.values()]
      .filter(({ event }) => stream === undefined || event.stream === stream)
      .map(({ event, via, at, calls }) => ({
        ...event,
        at: new Date(at),
        via,
        calls: calls.map((progress) => ({
          ...progress,
          dueAt: progress.state === 'pending' ? new Date(this.queue.freeAt(progress.id)) : null,
        })),
      }));
  }

  deadLetters(): DeadLetter[] {
    return [...this.dead.values()].map(({ id, listener, event, progress }) => ({
      id,
      eventId: event.id,
      event: event.name,
      stream: event.stream,
      at: new Date(this.emitted.get(event.id)?.at ?? 0),
      listener,
      attempts: progress.attempts,
      lastError: progress.lastError as string,
      diedAt: progress.endedAt as Date,
    }));
  }

  replay(id?: string): ReplayedLetter[] {
    const chosen = [...this.dead.values()].filter((call) => id === undefined || call.id === id);
    for (const call of chosen) {
      this.dead.delete(call.id);
      call.since = this.now();
      call.isLate = true;
      Object.assign(call.progress, {
        state: 'pending',
        attempts: 0,
        lastError: null,
        endedAt: null,
      });
      this.enqueue(call);
    }
    return chosen.map(({ id: callId, listener, event: { id: eventId, name, stream } }) => ({
      id: callId,
      listener,
      event: name,
      eventId,
      stream,
    }));
  }

  missingListeners(dueForMs: number): MissingListener[] {
    const listeners = new Set([...this.calls.values()].map(({ listener }) => listener));
    return [...listeners].toSorted().flatMap((listener) => {
      const calls = [...this.calls.values()].filter((call) => call.listener === listener);
      if (calls.some(({ id }) => this.queue.isLeased(id))) return [];
      const firsts = calls.filter((call) => this.queues.get(queueOf(call))?.[0] === call.id);
      const waitingMs = this.now() - Math.min(...firsts.map(({ id }) => this.queue.freeAt(id)));
      return waitingMs >= dueForMs
        ? [{ listener, calls: Math.min(calls.length, MOST_COUNTED), waitingMs }]
        : [];
    });
  }

  /** Keeps only the id of an event whose calls are all done, so that it is not emitted again. Deletes it after `dedupeForMs`. */
  applyRetention({
    personalDataMs,
    dedupeForMs,
  }: {
    personalDataMs: number;
    dedupeForMs: number;
  }): void {
    for (const [id, emitted] of this.emitted) {
      const age = this.now() - emitted.at;
      if (age < personalDataMs) continue;
      if (emitted.calls.every(({ state }) => state === 'done')) {
        emitted.calls = [];
        if (age >= dedupeForMs) this.emitted.delete(id);
      } else this.redact(emitted);
    }
  }

  /** Events that a listener has not completed, and that are not redacted: of the others no payload is kept. */
  unfinished(): { event: NewEvent; at: Date }[] {
    const calls = [...this.calls.values(), ...this.dead.values()];
    const events = new Map(
      calls.filter(({ isRedacted }) => !isRedacted).map(({ event }) => [event.id, event]),
    );
    return [...events.values()].map((event) => ({
      event,
      at: new Date(this.emitted.get(event.id)?.at ?? 0),
    }));
  }

  /** Redacts the dead letters that are chosen. Returns how many. @param partly what is left of a payload that keeps the data of others */
  redactDead(
    isChosen: (event: NewEvent, at: Date) => boolean,
    partly: (payload: NewEvent['payload']) => NewEvent['payload'] | null,
  ): number {
    // Another listener still needs it.
    const waiting = new Set([...this.calls.values()].map(({ event }) => event.id));
    const chosen = [...this.dead.values()].filter(
      ({ event, isRedacted }) =>
        !isRedacted &&
        !waiting.has(event.id) &&
        isChosen(event, new Date(this.emitted.get(event.id)?.at ?? 0)),
    );
    for (const call of chosen) {
      const payload = partly(call.event.payload);
      if (payload === null) redactCall(call);
      else {
        call.event = { ...call.event, payload } as NamedEvent;
        call.progress.lastError = REDACTED_ERROR;
      }
    }
    return new Set(chosen.map(({ event }) => event.id)).size;
  }

  /** Redacts an event with an unfinished call. The event stays, so that the call can be made. */
  private redact({ calls }: Emitted): void {
    const before = this.now() - PENDING_REDACTED_AFTER_MS;
    const unfinished = calls.flatMap(({ id }) => this.calls.get(id) ?? this.dead.get(id) ?? []);
    const isOld = unfinished.every(
      ({ id, progress }) => (progress.endedAt?.getTime() ?? this.queue.freeAt(id)) <= before,
    );
    for (const call of isOld ? unfinished : []) redactCall(call);
  }

  private isFirst(call: Call): boolean {
    if (this.queues.get(queueOf(call))?.[0] !== call.id) return false;
    const outcomes = this.outcomes.get(outcomesOf(call) ?? '') ?? [];
    const before = outcomes.slice(0, Math.max(outcomes.indexOf(call), 0));
    return before.every(({ event }) => event.id === call.event.id);
  }

  private enqueue(call: Call): void {
    this.calls.set(call.id, call);
    this.queues.set(queueOf(call), [...(this.queues.get(queueOf(call)) ?? []), call.id]);
    const outcomes = outcomesOf(call);
    if (outcomes !== null)
      this.outcomes.set(outcomes, [...(this.outcomes.get(outcomes) ?? []), call]);
    this.queue.add(call.id);
  }

  private leave(call: Call): void {
    this.calls.delete(call.id);
    const rest = (this.queues.get(queueOf(call)) ?? []).filter((id) => id !== call.id);
    if (rest.length > 0) this.queues.set(queueOf(call), rest);
    else this.queues.delete(queueOf(call));
    const outcomes = outcomesOf(call);
    if (outcomes === null) return;
    const others = (this.outcomes.get(outcomes) ?? []).filter((other) => other !== call);
    if (others.length > 0) this.outcomes.set(outcomes, others);
    else this.outcomes.delete(outcomes);
  }
}

function queueOf(call: Call): string {
  return `${call.listener}\n${call.event.stream}`;
}

function outcomesOf({ event, listener }: Call): string | null {
  const outcomeClass = outcomeClassOf(event.name, listener);
  return outcomeClass === null ? null : `${outcomeClass}\n${event.stream}`;
}

function redactCall(call: Call): void {
  call.isRedacted = true;
  call.event = { ...call.event, payload: withoutPersons(call.event.payload) };
  if (call.progress.lastError !== null) call.progress.lastError = REDACTED_ERROR;
}
