import { NEVER } from 'rxjs';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { PerAccount } from '../runtime/per-account.js';
import type { AccountScope, Claim, ClaimOutcome } from '../store/claim.js';
import {
  AT_ONCE_MS,
  classOf,
  EventsStore,
  outcomeClassOf,
  type DeadLetter,
  type DeadLetterFilter,
  type EventSummary,
  type ListenerCall,
  type MissingListener,
  type RegisteredListener,
  type ReplayedLetter,
  type StoredEvent,
  type WantedCalls,
} from '../store/events.store.js';
import type { CallClaim, WrittenCall } from '../store/ledger.store.js';
import type { NewEvent } from '../store/new-event.js';
import type { Via } from '../store/operation.js';
import { PENDING_REDACTED_AFTER_MS, REDACTED_ERROR, withoutPersons } from '../store/redaction.js';
import type { Page, PageRequest } from '../store/transactions.store.js';
import { isWithin, pageOf } from './memory-lists.js';
import { claimLongestDue, type Due, MemoryQueue, type Waiting } from './memory-queue.js';

/** The events and listener calls of one account. */
interface Events {
  emitted: Map<string, Emitted>;
  /** By event, each id with the start that registered it last. */
  listeners: Map<string, Map<string, string>>;
  /** The calls that wait. */
  queue: MemoryQueue<Call>;
  dead: Map<string, Call>;
}

/** An emitted event with the state of its calls. */
interface Emitted {
  event: Omit<NamedEvent, 'payload'>;
  via: Via;
  at: number;
  calls: Progress[];
}

/** An event with a name that this version knows. */
type NamedEvent = NewEvent & { name: string };

/** The state of a listener call. It stays when the call is done. */
type Progress = Omit<StoredEvent['calls'][number], 'dueAt'>;

/** A call has these values until it is made. */
const NOT_MADE = { state: 'pending', attempts: 0, lastError: null, endedAt: null } as const;

/** A listener call that waits or is dead. */
interface Call extends Pick<Progress, 'id' | 'listener'> {
  event: NamedEvent;
  isRedacted?: true;
  /** It was a dead letter. */
  isLate?: true;
  progress: Progress;
  /** The time at which it began to wait. */
  since: number;
}

/** Calls of one listener are counted up to this number. */
const MOST_COUNTED = 1_000;

export class MemoryEventsStore extends EventsStore {
  private readonly accounts: PerAccount<Events>;

  constructor(private readonly now: () => number) {
    super();
    this.accounts = new PerAccount(
      () => ({
        emitted: new Map(),
        listeners: new Map(),
        queue: new MemoryQueue(now),
        dead: new Map(),
      }),
      NEVER,
    );
  }

  async registerListeners(
    account: string,
    registered: readonly { event: string; listener: string }[],
    start: string,
  ): Promise<void> {
    const { listeners } = this.accounts.get(account);
    for (const { event, listener } of registered)
      listeners.set(
        event,
        (listeners.get(event) ?? new Map<string, string>()).set(listener, start),
      );
  }

  async registeredListeners(scope: AccountScope): Promise<RegisteredListener[]> {
    return this.accounts
      .within(scope)
      .flatMap(([account, { listeners }]) =>
        [...listeners].flatMap(([event, starts]) =>
          [...starts].map(([listener, start]) => ({ account, event, listener, start })),
        ),
      )
      .filter(({ listener }) => classOf(listener) !== null);
  }

  async deleteListener(account: string, listener: string): Promise<number> {
    const { emitted, listeners, queue, dead } = this.accounts.get(account);
    for (const starts of listeners.values()) starts.delete(listener);
    const unfinished = [...queue.items(), ...dead.values()];
    const deleted = unfinished.filter((call) => call.listener === listener);
    for (const { id, event, progress } of deleted) {
      queue.drop(id);
      dead.delete(id);
      const of = emitted.get(event.id);
      if (of) of.calls = of.calls.filter((other) => other !== progress);
    }
    return deleted.length;
  }

  async claimCalls(
    wanted: readonly WantedCalls[],
    limit: number,
    leaseMs: number,
  ): Promise<ListenerCall[]> {
    const due = wanted.flatMap((calls) => this.due(calls, leaseMs));
    return claimLongestDue(due, limit);
  }

  checkTransactions(): Promise<void> {
    return Promise.reject(
      new PaymentsConfigurationError([
        'a listener has `transactional: true`, and the store in memory has no transactions: import PostgresStoreModule of @tillkit/postgres, ' +
          'or EmbeddedPostgresStoreModule for development',
      ]),
    );
  }

  async finishCallIn(): Promise<boolean> {
    await this.checkTransactions();
    return false;
  }

  async finishCall(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    const { queue, dead } = this.accounts.get(claim.account);
    const call = queue.get(claim.id);
    if (!call || !queue.finish(claim, outcome)) return false;
    const { progress } = call;
    progress.lastError = outcome.kind === 'done' ? null : outcome.error;
    if (outcome.kind === 'retry') return true;
    progress.state = outcome.kind === 'done' ? 'done' : 'dead';
    const isFirst = outcome.kind === 'done' && progress.attempts === 1;
    const isAtOnce = isFirst && this.now() - call.since <= AT_ONCE_MS;
    progress.endedAt = isAtOnce ? null : new Date(this.now());
    if (progress.state === 'dead') dead.set(call.id, call);
    return true;
  }

  async renewCalls(claims: readonly Claim[], leaseMs: number): Promise<string[]> {
    return claims
      .filter((claim) => !this.accounts.get(claim.account).queue.renew(claim, leaseMs))
      .map(({ id }) => id);
  }

  async listDeadLetters(
    account: string,
    { listener, from, to }: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<DeadLetter>> {
    const found = [...this.accounts.get(account).dead.values()]
      .map((call): DeadLetter => {
        const { id, event, progress } = call;
        return {
          id,
          eventId: event.id,
          event: event.name,
          stream: event.stream,
          at: this.writtenAt(account, call),
          listener: call.listener,
          attempts: progress.attempts,
          lastError: progress.lastError as string,
          diedAt: progress.endedAt as Date,
        };
      })
      .filter((letter) => listener === undefined || letter.listener === listener)
      .filter(({ diedAt }) => isWithin(diedAt, from, to));
    return pageOf(found, page, ({ diedAt, id }) => [diedAt, id], 'oldest first');
  }

  async replayDeadLetters(account: string, id?: string): Promise<ReplayedLetter[]> {
    const { queue, dead } = this.accounts.get(account);
    const chosen = [...dead.values()].filter((call) => id === undefined || call.id === id);
    for (const call of chosen) {
      dead.delete(call.id);
      call.since = this.now();
      call.isLate = true;
      Object.assign(call.progress, NOT_MADE);
      queue.add(call);
    }
    return chosen.map(({ id: callId, listener, event: { id: eventId, name, stream } }) => ({
      id: callId,
      listener,
      event: name,
      eventId,
      stream,
    }));
  }

  async missingListeners(account: string, dueForMs: number): Promise<MissingListener[]> {
    const { queue } = this.accounts.get(account);
    const listeners = new Set(queue.items().map(({ listener }) => listener));
    return [...listeners].toSorted().flatMap((listener) => {
      const calls = queue.items().filter((call) => call.listener === listener);
      if (calls.some(({ id }) => queue.isLeased(id))) return [];
      const byStream = new Map(calls.toReversed().map(({ id, event }) => [event.stream, id]));
      const firsts = [...byStream.values()];
      const waitingMs = this.now() - Math.min(...firsts.map((id) => queue.freeAt(id)));
      return waitingMs >= dueForMs
        ? [{ listener, calls: Math.min(calls.length, MOST_COUNTED), waitingMs }]
        : [];
    });
  }

  async list(account: string, stream: string): Promise<StoredEvent[]> {
    return this.all(account).filter((event) => event.stream === stream);
  }

  async listRecent(account: string, page: PageRequest): Promise<Page<EventSummary>> {
    const { items, next } = pageOf(this.all(account), page, ({ at, id }) => [at, id]);
    return {
      items: items.map(({ id, name, stream, at, via }) => ({ id, name, stream, at, via })),
      next,
    };
  }

  /** Writes an event with a call of each of its listeners, unless it is known. @param claim leases the calls that may be made now */
  write(account: string, written: NewEvent, claim?: CallClaim): WrittenCall[] {
    const { emitted, listeners, queue } = this.accounts.get(account);
    const event = written as NamedEvent;
    if (emitted.has(event.id)) return [];
    const calls = [...(listeners.get(event.name)?.keys() ?? [])].map((listener): Call => {
      const id = `${event.id}:${listener}`;
      const progress: Progress = { id, listener, ...NOT_MADE };
      return { id, listener, event, progress, since: this.now() };
    });
    const { payload, ...rest } = event;
    emitted.set(event.id, {
      event: rest,
      via: payload.via,
      at: this.now(),
      calls: calls.map(({ progress }) => progress),
    });
    for (const call of calls) queue.add(call);
    const firsts = firstsOf(queue.items());
    return calls.map((call) => {
      const { id, listener } = call;
      if (!firsts.has(call) || !claim?.listeners.includes(listener))
        return { id, listener, eventId: event.id, token: null };
      const { token, attempts } = queue.claim(id, claim.leaseMs);
      call.progress.attempts = attempts;
      return { id, listener, eventId: event.id, token };
    });
  }

  amountOf(account: string, id: string): string | null {
    return this.accounts.get(account).emitted.get(id)?.event.amount ?? null;
  }

  names(): string[] {
    return this.accounts.entries().map(([account]) => account);
  }

  /** Returns all events in order, each with its calls. */
  all(account: string): StoredEvent[] {
    const { emitted, queue } = this.accounts.get(account);
    return [...emitted.values()].map(({ event, via, at, calls }) => ({
      ...event,
      at: new Date(at),
      via,
      calls: calls.map((progress) => ({
        ...progress,
        dueAt: progress.state === 'pending' ? new Date(queue.freeAt(progress.id)) : null,
      })),
    }));
  }

  waiting(scope: AccountScope): (Waiting & { listener: string })[] {
    return this.accounts.within(scope).flatMap(([account, { queue }]) => {
      const firsts = [...firstsOf(queue.items())];
      return firsts.map(({ id, listener }) => ({ account, listener, freeAt: queue.freeAt(id) }));
    });
  }

  /** Keeps only the id of an event whose calls are all done, so that it is not emitted again. Deletes it after `dedupeForMs`. */
  applyRetention(
    account: string,
    { personalDataMs, dedupeForMs }: { personalDataMs: number; dedupeForMs: number },
  ): void {
    const { emitted } = this.accounts.get(account);
    for (const [id, event] of emitted) {
      const age = this.now() - event.at;
      if (age < personalDataMs) continue;
      if (event.calls.every(({ state }) => state === 'done')) {
        event.calls = [];
        if (age >= dedupeForMs) emitted.delete(id);
      } else this.redact(account, event);
    }
  }

  /** Returns events that a listener has not completed, and that are not redacted: of the others no payload is kept. */
  unfinished(account: string): { event: NewEvent; at: Date }[] {
    const { queue, dead } = this.accounts.get(account);
    const calls = [...queue.items(), ...dead.values()].filter(({ isRedacted }) => !isRedacted);
    return [...new Map(calls.map((call) => [call.event.id, call])).values()].map((call) => ({
      event: call.event,
      at: this.writtenAt(account, call),
    }));
  }

  /** Redacts the chosen dead letters. Returns their number. @param partly returns the rest of a payload that keeps the data of others */
  redactDead(
    account: string,
    isChosen: (event: NewEvent, at: Date) => boolean,
    partly: (payload: NewEvent['payload']) => NewEvent['payload'] | null,
  ): number {
    const { queue, dead } = this.accounts.get(account);
    // Another listener still needs it.
    const waiting = new Set(queue.items().map(({ event }) => event.id));
    const chosen = [...dead.values()].filter(
      (call) =>
        !call.isRedacted &&
        !waiting.has(call.event.id) &&
        isChosen(call.event, this.writtenAt(account, call)),
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

  private due({ account, most, listeners }: WantedCalls, leaseMs: number): Due<ListenerCall>[] {
    const { queue } = this.accounts.get(account);
    const firsts = firstsOf(queue.items());
    const room = new Map(listeners.map((listener) => [listener.id, listener.most]));
    const allowed = (call: Call): boolean => {
      const left = room.get(call.listener) ?? 0;
      if (left < 1 || !firsts.has(call)) return false;
      room.set(call.listener, left - 1);
      return true;
    };
    return queue.due(most, leaseMs, allowed).map(({ dueAt, claim }) => ({
      dueAt,
      claim: () => {
        const { item, token, attempts } = claim();
        const { id, listener, event, progress, isLate } = item;
        progress.attempts = attempts;
        return {
          id,
          token,
          account,
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

  private writtenAt(account: string, { event }: Call): Date {
    return new Date(this.accounts.get(account).emitted.get(event.id)?.at ?? 0);
  }

  /** Redacts an event with an unfinished call. The event stays, so that the call can be made. */
  private redact(account: string, { calls }: Emitted): void {
    const { queue, dead } = this.accounts.get(account);
    const before = this.now() - PENDING_REDACTED_AFTER_MS;
    const unfinished = calls.flatMap(({ id }) => queue.get(id) ?? dead.get(id) ?? []);
    const isOld = unfinished.every(
      ({ id, progress }) => (progress.endedAt?.getTime() ?? queue.freeAt(id)) <= before,
    );
    for (const call of isOld ? unfinished : []) redactCall(call);
  }
}

/**
 * Returns the calls that may be made: of one listener and stream only the first, and of one class and stream, where events have outcomes, only those
 * of the first event.
 * @param calls all that wait, in order
 */
function firstsOf(calls: readonly Call[]): ReadonlySet<Call> {
  const firsts = new Set<Call>();
  const lines = new Set<string>();
  const eventsOf = new Map<string, Set<string>>();
  for (const call of calls) {
    const { listener, event } = call;
    const line = `${listener}\n${event.stream}`;
    const outcomeClass = outcomeClassOf(event.name, listener);
    const place = `${outcomeClass}\n${event.stream}`;
    const events = new Set(outcomeClass === null ? [] : eventsOf.get(place)).add(event.id);
    if (outcomeClass !== null) eventsOf.set(place, events);
    if (!lines.has(line) && events.size === 1) firsts.add(call);
    lines.add(line);
  }
  return firsts;
}

function redactCall(call: Call): void {
  call.isRedacted = true;
  call.event = { ...call.event, payload: withoutPersons(call.event.payload) };
  if (call.progress.lastError !== null) call.progress.lastError = REDACTED_ERROR;
}
