import { randomUUID } from 'node:crypto';
import {
  EventsStore,
  type AccountScope,
  type Claim,
  type ClaimOutcome,
  type DeadLetter,
  type ReplayedLetter,
  type DeadLetterFilter,
  type EventSummary,
  type HostDatabase,
  type HostTransaction,
  type ListenerCall,
  type PaymentsEventName,
  type MissingListener,
  type RegisteredListener,
  type Page,
  type PageRequest,
  type StoredEvent,
  type WantedCalls,
} from '@tillkit/payments/internal/store';
import { namesAndMeaning } from '../account-scope.js';
import type { Database } from '../postgres-database.js';
import { placeOf, tokenOf, type Acknowledgements } from '../acknowledgements.js';
import { OpenTransaction, transact } from '../host/host-transaction.js';
import { PostgresConfigurationError } from '../postgres.errors.js';
import { readPage } from '../page.query.js';
import { isCallId, listDeadLetters, recentEvents } from './events.query.js';
import { readCall, readDeadLetter, readEvent, readEventSummary } from './listener-call.row.js';
import { boolean, number, text, type Row } from '../row.js';
import {
  eventsClaimCallsSql,
  eventsDeleteCallsSql,
  eventsDeleteListenerSql,
  eventsEndCallInHostSql,
  eventsHoldInHostSql,
  eventsIsHeldSql,
  eventsListSql,
  eventsMissingListenersSql,
  eventsRegisterListenersSql,
  eventsRegisteredListenersSql,
  eventsReplayDeadLettersSql,
} from '../generated/sql.js';
import { storableText } from '../storable.js';

const MAX_DELETED = 5_000;

export class PostgresEventsStore extends EventsStore {
  /** Each claim begins with another account and listener, so that no listener waits behind a busier one. */
  private turn = 0;

  constructor(
    private readonly database: Database,
    private readonly acknowledgements: Acknowledgements,
  ) {
    super();
  }

  async registerListeners(
    account: string,
    listeners: readonly { event: PaymentsEventName; listener: string }[],
    start: string,
  ): Promise<void> {
    await this.database.rows(eventsRegisterListenersSql, [
      account,
      listeners.map(({ event }) => event),
      listeners.map(({ listener }) => listener),
      start,
    ]);
  }

  async registeredListeners(accounts: AccountScope): Promise<RegisteredListener[]> {
    const rows = await this.database.rows(eventsRegisteredListenersSql, namesAndMeaning(accounts));
    return rows.map((row) => ({
      account: text(row, 'account'),
      event: text(row, 'event'),
      listener: text(row, 'listener'),
      start: text(row, 'start'),
    }));
  }

  /** Deletes in batches, because millions of calls may be waiting. */
  async deleteListener(account: string, listener: string): Promise<number> {
    const given = [account, storableText(listener)];
    await this.database.rows(eventsDeleteListenerSql, given);
    let deleted = 0;
    for (;;) {
      const { length } = await this.database.rows(eventsDeleteCallsSql, [...given, MAX_DELETED]);
      deleted += length;
      if (length < MAX_DELETED) return deleted;
    }
  }

  async claimCalls(
    wanted: readonly WantedCalls[],
    limit: number,
    leaseMs: number,
  ): Promise<ListenerCall[]> {
    if (wanted.length === 0 || limit < 1) return [];
    this.turn += 1;
    // Listeners take turns after each account has had its turn. Otherwise an account would begin with the same listener each time.
    const round = Math.floor(this.turn / wanted.length);
    const inTurn = wanted.map(({ account, most, listeners }) => ({
      most,
      lanes: from(listeners, round).map((own) => ({
        lane: `call ${account} ${own.id}`,
        most: own.most,
      })),
    }));
    const values = [JSON.stringify(from(inTurn, this.turn)), limit, leaseMs];
    const rows = await this.database.rows(eventsClaimCallsSql, values);
    return rows.map(readCall).toSorted((one, other) => Number(one.id) - Number(other.id));
  }

  finishCall(claim: Claim, outcome: ClaimOutcome, isHeld = false): Promise<boolean> {
    return isHeld
      ? this.acknowledgements.finishHeld(claim, outcome)
      : this.acknowledgements.finish(claim, outcome);
  }

  async checkTransactions(database: HostDatabase): Promise<void> {
    const name = `tillkit ${randomUUID()}`;
    let isHeld = false;
    await transact(
      database,
      async (transaction) => {
        await (await OpenTransaction.of(transaction)).ask(eventsHoldInHostSql, [name]);
        const [row] = await this.database.rows(eventsIsHeldSql, [name]);
        isHeld = boolean(row as Row, 'is_held');
      },
      this.database.statementTimeoutMs,
    );
    if (isHeld) return;
    throw new PostgresConfigurationError(
      '`transactions` begins transactions in another database than the one of the store, so a listener with `transactional: true` could not be ' +
        'exactly once. Let both use the same database, or remove `transactional` and use an idempotent effect',
    );
  }

  async finishCallIn(
    database: HostDatabase,
    claim: Claim,
    work: (transaction: HostTransaction) => Promise<void>,
    limitMs: number,
  ): Promise<boolean> {
    const statement = this.database.qualify(eventsEndCallInHostSql);
    let isEnded = false;
    await transact(
      database,
      async (transaction) => {
        const open = await OpenTransaction.of(transaction);
        isEnded = (await open.ask(statement, [placeOf(claim), tokenOf(claim)])) === 'ended';
        if (!isEnded) return;
        await work(transaction);
        await open.assertOpen();
      },
      limitMs,
    );
    return isEnded;
  }

  renewCalls(claims: readonly Claim[], leaseMs: number): Promise<string[]> {
    return this.acknowledgements.renew(claims, leaseMs);
  }

  listDeadLetters(
    account: string,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<DeadLetter>> {
    return readPage(this.database, page, readDeadLetter, (limit, after) =>
      listDeadLetters(account, filter, limit, after),
    );
  }

  async missingListeners(account: string, dueForMs: number): Promise<MissingListener[]> {
    const rows = await this.database.rows(eventsMissingListenersSql, [account, dueForMs]);
    return rows.map((row) => ({
      listener: text(row, 'listener'),
      calls: number(row, 'calls'),
      waitingMs: number(row, 'waiting_ms'),
    }));
  }

  async replayDeadLetters(account: string, id?: string): Promise<ReplayedLetter[]> {
    if (id !== undefined && !isCallId(id)) return [];
    const rows = await this.database.rows(eventsReplayDeadLettersSql, [account, id ?? null]);
    return rows.map((row) => ({
      id: text(row, 'id'),
      listener: text(row, 'listener'),
      event: text(row, 'event') as PaymentsEventName,
      eventId: text(row, 'event_id'),
      stream: text(row, 'stream'),
    }));
  }

  async list(account: string, stream: string): Promise<StoredEvent[]> {
    const rows = await this.database.rows(eventsListSql, [account, storableText(stream)]);
    return rows.map(readEvent);
  }

  listRecent(account: string, page: PageRequest): Promise<Page<EventSummary>> {
    return readPage(this.database, page, readEventSummary, (limit, after) =>
      recentEvents(account, limit, after),
    );
  }
}

/** Returns the same list, beginning with another element. */
function from<T>(all: readonly T[], turn: number): T[] {
  const first = turn % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}
