import type {
  Claim,
  ClaimOutcome,
  DeadLetter,
  ListenerCall,
  PaymentsEventName,
  UnheardListener,
} from '@tillkit/payments/store';
import { GroupCommit } from '../group-commit.js';
import type { Database } from '../postgres.database.js';
import { acknowledge, type Acknowledgement } from '../rows/acknowledgement.js';
import { readCall, readDeadLetter } from '../rows/call.row.js';
import { number, text } from '../rows/row.js';
import {
  CLAIM_CALLS,
  DEAD_LETTERS,
  DROP_CALLS,
  FINISH_CALLS,
  REGISTER_LISTENERS,
  RENEW_CALLS,
  REPLAY_DEAD_LETTERS,
  UNHEARD_LISTENERS,
  UNREGISTER_LISTENER,
} from '../sql/calls.sql.js';
import { storableText } from '../storable.js';

const MAX_DROPPED = 5_000;

export class CallsTable {
  private readonly finishing: GroupCommit<Acknowledgement, boolean>;
  /** Which listener is asked first: another one each time, so that none waits behind a busier one. */
  private turn = 0;

  constructor(
    private readonly database: Database,
    limits: { maxQueued: number; timeoutMs: number },
  ) {
    this.finishing = new GroupCommit({
      commit: (given) =>
        acknowledge(
          given,
          (columns) => this.database.rows(FINISH_CALLS, columns),
          ({ id }) => id,
        ),
      maxRows: 100,
      inFlight: 2,
      ...limits,
    });
  }

  async register(
    account: string,
    listeners: readonly { event: PaymentsEventName; listener: string }[],
  ): Promise<void> {
    await this.database.rows(REGISTER_LISTENERS, [
      account,
      listeners.map(({ event }) => event),
      listeners.map(({ listener }) => listener),
    ]);
  }

  /** In batches: years of calls of a listener that nobody missed may be waiting. */
  async forget(account: string, listener: string): Promise<number> {
    const given = [account, storableText(listener)];
    await this.database.rows(UNREGISTER_LISTENER, given);
    let dropped = 0;
    for (;;) {
      const { length } = await this.database.rows(DROP_CALLS, [...given, MAX_DROPPED]);
      dropped += length;
      if (length < MAX_DROPPED) return dropped;
    }
  }

  async claim(
    account: string,
    listeners: readonly string[],
    limit: number,
    leaseMs: number,
    mostOfEach: readonly number[] = listeners.map(() => limit),
  ): Promise<ListenerCall[]> {
    if (listeners.length === 0 || limit < 1) return [];
    const from = (this.turn += 1) % listeners.length;
    const inTurn = <T>(all: readonly T[]): T[] => [...all.slice(from), ...all.slice(0, from)];
    const values = [account, inTurn(listeners), inTurn(mostOfEach), limit, leaseMs];
    const rows = await this.database.rows(CLAIM_CALLS, values);
    return rows.map(readCall).toSorted((one, other) => Number(one.id) - Number(other.id));
  }

  async finish(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return isCallId(claim.id) && this.finishing.add({ claim, outcome });
  }

  async renew(claims: readonly Claim[], leaseMs: number): Promise<string[]> {
    const known = claims.filter(({ id }) => isCallId(id));
    const rows = known.length
      ? await this.database.rows(RENEW_CALLS, [
          known.map(({ id }) => id),
          known.map(({ token }) => token),
          leaseMs,
        ])
      : [];
    const renewed = new Set(rows.map((row) => text(row, 'id')));
    return claims.map(({ id }) => id).filter((id) => !renewed.has(id));
  }

  async deadLetters(account: string, limit: number): Promise<DeadLetter[]> {
    return (await this.database.rows(DEAD_LETTERS, [account, limit])).map(readDeadLetter);
  }

  async unheard(account: string, dueForMs: number): Promise<UnheardListener[]> {
    const rows = await this.database.rows(UNHEARD_LISTENERS, [account, dueForMs]);
    return rows.map((row) => ({
      listener: text(row, 'listener'),
      calls: number(row, 'calls'),
      waitingMs: number(row, 'waiting_ms'),
    }));
  }

  async replay(account: string, id?: string): Promise<number> {
    if (id !== undefined && !isCallId(id)) return 0;
    return (await this.database.rows(REPLAY_DEAD_LETTERS, [account, id ?? null])).length;
  }

  async drain(): Promise<void> {
    await this.finishing.drain();
  }
}

/** Ids of calls are PostgreSQL's own numbers; any other text is the id of none. */
function isCallId(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}
