import pg from 'pg';
import { PostgresStore } from '@tillkit/postgres';
import type { PaymentsStore } from '../../libs/payments/src/payments.store.js';
import { Connections } from './faulty.socket.js';
import type { SimulatedTransaction } from './host.transaction.js';
import { PostgresCall } from './postgres.call.js';
import { PostgresObserver } from './postgres.observer.js';
import type { SimulatedServer, Stall } from './postgres.server.js';
import { PostgresTransaction } from './postgres.transaction.js';
import { RealWork } from './real.work.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';
import type { StoreBackend } from './store.backend.js';
import type { Queue } from './virtual.scheduler.js';

/** What a statement may take, of real time. Short, so that those that stall cost little. */
const STATEMENT_TIMEOUT_MS = 200;

/** Statements that stall in one history: each costs as much real time as a hundred others. */
const MOST_STALLS = 2;

const CONNECT_TIMEOUT_MS = 2_000;

/** What somebody else may hold, from a report's row locks to a migration's lock of a table. */
const HELD = [
  'select from tillkit.operation for update',
  'select from tillkit.transaction for no key update',
  'lock table tillkit.operation in share row exclusive mode',
  'lock table tillkit.delivery in share row exclusive mode',
  'lock table tillkit.call in share row exclusive mode',
  'lock table tillkit.event in share mode',
] as const;

/** The store of one process. */
export interface Process {
  connections: Connections;
  /** Its one look for its schema. */
  opening: Promise<unknown> | null;
}

/** One history's payments in a real database, and everything that goes wrong with it. */
export class PostgresBackend implements StoreBackend {
  readonly call = PostgresCall;
  work: RealWork;
  observer: PostgresObserver;
  private world: World;
  private conflictRate = 0;
  private stalls = 0;
  private readonly processes = new Map<SimulatedReplica, Process>();
  private readonly transactions: PostgresTransaction[] = [];

  constructor(readonly server: SimulatedServer) {}

  begin(world: World): PostgresObserver {
    this.world = world;
    const chance = world.chanceOf('gathering');
    const share = chance.pick([0, 0, 0.3, 0.8]);
    this.work = new RealWork(
      world.scheduler,
      this.server,
      () => world.quiet || chance.happens(share),
      () => world.met('statement waits for a lock'),
    );
    this.observer = new PostgresObserver(world, this.server, this.work);
    this.plan();
    return this.observer;
  }

  open(replica: SimulatedReplica): PaymentsStore {
    const connections = new Connections();
    const pool = new pg.Pool({
      connectionString: this.server.url,
      stream: () => connections.open(),
      application_name: replica.name,
      max: 4,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 0,
    });
    const store = new PostgresStore({
      pool,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      batch: { timeoutMs: STATEMENT_TIMEOUT_MS },
    });
    this.processes.set(replica, { connections, opening: null });
    return store;
  }

  processOf(replica: SimulatedReplica): Process {
    const process = this.processes.get(replica);
    if (!process) throw new Error(`${replica.name} has no store`);
    return process;
  }

  lost(replica: SimulatedReplica): void {
    this.processes.get(replica)?.connections.destroy();
  }

  transaction(key: string): SimulatedTransaction {
    const chance = this.world.chanceOf(`transaction ${key}`);
    const made = new PostgresTransaction(key, this.server.url, this.work, this.observer, chance);
    this.transactions.push(made);
    return made;
  }

  holdsWork(queue: Queue | null, now: number): boolean {
    return this.observer.holdsWork(queue, now);
  }

  remembersBare(platformId: string, now: number): boolean {
    return this.observer.remembersBare(platformId, now);
  }

  /** How often a call is rolled back for the sake of others: more often than it is repeated, now and then. */
  conflicts(name: string): number {
    const { world } = this;
    if (world.quiet || world.isSuppressed(name) || this.conflictRate === 0) return 0;
    const chance = world.chanceOf(`${name} conflict`);
    if (!chance.happens(this.conflictRate)) return 0;
    world.faulted(name);
    return chance.pick([1, 1, 2, 3, 4]);
  }

  /** Whether one more statement may stall in this history. */
  mayStall(): boolean {
    this.stalls += 1;
    return this.stalls <= MOST_STALLS;
  }

  /** What stands still goes on later, whether or not anybody still waits for it. */
  releaseLater(process: string, place: Stall, how: 'commit' | 'cancel', inMs: number): void {
    const { world } = this;
    world.scheduler.after(inMs, null, `${process} is released to ${how}`, () => {
      world.met(how === 'commit' ? 'abandoned statement commits late' : 'statement cancelled late');
      void this.seen(() => this.server.release(process, place, how));
    });
  }

  /** Ends every connection of this history. */
  close(): void {
    for (const { connections } of this.processes.values()) connections.destroy();
    for (const transaction of this.transactions) transaction.destroy();
  }

  /** What may happen to the database as a whole, drawn once for a history. */
  private plan(): void {
    const { world } = this;
    const { scheduler, plan } = world;
    const chance = world.chanceOf('database');
    const last = plan.operations.reduce(
      (end, { at, kind }) => (kind === 'resolve' || kind === 'read' ? end : Math.max(end, at)),
      0,
    );
    const sometime = (): number => chance.below(last + 60_000);
    const sometimes = (name: string, rate: number, happen: () => void): void => {
      const at = sometime();
      if (!chance.happens(rate) || world.isSuppressed(name)) return;
      world.faulted(name);
      scheduler.after(at, null, name, happen);
    };
    this.conflictRate = chance.pick([0, 0, 0, 0.02, 0.1]);
    for (const n of [1, 2]) {
      const held = chance.pick(HELD);
      const heldMs = chance.duration(10, 60_000);
      sometimes(`somebody locks ${n}`, 0.15, () => void this.hold(held, heldMs));
    }
    sometimes('the server ends all connections', 0.1, () => {
      world.met('the server ended all connections');
      void this.seen(() => this.server.endConnections());
    });
    const how = chance.pick(['in order', 'crash'] as const);
    sometimes('the server restarts', 0.01, () => {
      world.met(`server restarted (${how})`);
      void this.seen(() => this.server.restart(how));
    });
  }

  private async hold(statement: string, ms: number): Promise<void> {
    const { world } = this;
    const client = await this.work.run(() => this.server.hold(statement));
    if (!client) return;
    world.met("locked by somebody else's transaction");
    world.scheduler.after(ms, null, 'somebody lets go', () => {
      void this.seen(async () => {
        await client.query('rollback').catch(() => undefined);
        await client.end().catch(() => undefined);
      });
    });
  }

  private async seen(happen: () => Promise<void>): Promise<void> {
    const snapshot = await this.work.run(async () => {
      await happen();
      return this.observer.fetch();
    });
    this.observer.apply(snapshot, null);
    this.world.scheduler.changed();
  }
}
