import pg from 'pg';
import { PostgresStore } from '@tillkit/postgres';
import type { PaymentsStore } from '../../libs/payments/src/payments.store.js';
import { Connections } from './faulty.socket.js';
import type { SimulatedTransaction } from './host.transaction.js';
import { PostgresCall } from './postgres.call.js';
import type { Processes } from './history.processes.js';
import { PostgresObserver } from './postgres.observer.js';
import { PostgresSnapshots } from './postgres.snapshots.js';
import type { SimulatedServer, Stall } from './postgres.server.js';
import { PostgresTransaction } from './postgres.transaction.js';
import { RealWork } from './real.work.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { Simulation } from './history.simulation.js';
import type { StoreBackend } from './store.backend.js';
import type { Queue } from './virtual.scheduler.js';

/** The statement timeout, in real time. It is short, because each stalled statement costs this much time. */
const STATEMENT_TIMEOUT_MS = 200;

/** Maximum stalled statements in one history: each costs as much real time as a hundred others. */
const MAX_STALLS = 2;

const CONNECT_TIMEOUT_MS = 2_000;

/** Locks that another client may hold, from row locks to the table lock of a migration. */
const HELD = [
  'select from tillkit.operation for update',
  'select from tillkit.transaction for no key update',
  'lock table tillkit.operation in share row exclusive mode',
  'lock table tillkit.delivery in share row exclusive mode',
  'lock table tillkit.queue in share row exclusive mode',
  'lock table tillkit.event in share mode',
] as const;

/** The store of one process. */
export interface Process {
  connections: Connections;
  /** The result of its `init()`, which runs once. */
  opening: Promise<unknown> | null;
}

/** The PostgreSQL backend of one history, with its faults. */
export class PostgresBackend implements StoreBackend {
  readonly call = PostgresCall;
  work: RealWork;
  snapshots: PostgresSnapshots;
  private processes: Processes;
  private conflictRate = 0;
  private stalls = 0;
  private readonly opened = new Map<SimulatedReplica, Process>();
  private readonly transactions: PostgresTransaction[] = [];

  constructor(readonly server: SimulatedServer) {}

  begin(processes: Processes): void {
    this.processes = processes;
    const chance = processes.chanceOf('gathering');
    const share = chance.pick([0, 0, 0.3, 0.8]);
    this.work = new RealWork(
      processes.scheduler,
      this.server,
      () => processes.faultsStopped || chance.happens(share),
      () => processes.reached('statement waits for a lock'),
    );
    this.snapshots = new PostgresSnapshots(processes, this.server);
  }

  observerOf(simulation: Simulation): PostgresObserver {
    const observer = new PostgresObserver(simulation, this.snapshots, this.work);
    this.snapshots.observers.set(simulation.account, observer);
    // The first world has the plan of the database.
    if (this.snapshots.observers.size === 1) this.plan(simulation);
    return observer;
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
    });
    this.opened.set(replica, { connections, opening: null });
    return store;
  }

  observerNamed(account: string): PostgresObserver {
    return this.snapshots.observers.get(account) as PostgresObserver;
  }

  processOf(replica: SimulatedReplica): Process {
    const process = this.opened.get(replica);
    if (!process) throw new Error(`${replica.name} has no store`);
    return process;
  }

  lost(replica: SimulatedReplica): void {
    this.opened.get(replica)?.connections.destroy();
  }

  transaction(simulation: Simulation, key: string): SimulatedTransaction {
    const { server, work, snapshots } = this;
    const made = new PostgresTransaction(key, server.url, work, snapshots, simulation);
    this.transactions.push(made);
    return made;
  }

  hasDueWork(queue: Queue | null, now: number): boolean {
    return this.snapshots.hasDueWork(queue, now);
  }

  knowsBareRequest(account: string, platformId: string, now: number): boolean {
    return this.snapshots.knowsBareRequest(account, platformId, now);
  }

  /** A call fails this many times by serialization failure or deadlock, sometimes more often than the store repeats it. */
  conflicts(name: string): number {
    const simulation = this.processes.main;
    if (simulation.faultsStopped || simulation.isSuppressed(name) || this.conflictRate === 0)
      return 0;
    const chance = simulation.chanceOf(`${name} conflict`);
    if (!chance.happens(this.conflictRate)) return 0;
    simulation.faulted(name);
    return chance.pick([1, 1, 2, 3, 4]);
  }

  /** Counts a stalled statement. Returns true when this history may have it. */
  mayStall(): boolean {
    this.stalls += 1;
    return this.stalls <= MAX_STALLS;
  }

  /** Releases a stalled statement later, even if its caller has given up. */
  releaseLater(process: string, place: Stall, how: 'commit' | 'cancel', inMs: number): void {
    const { processes } = this;
    processes.scheduler.after(inMs, null, `${process} is released to ${how}`, () => {
      processes.reached(
        how === 'commit' ? 'abandoned statement committed late' : 'statement cancelled late',
      );
      void this.observeAfter(() => this.server.release(process, place, how));
    });
  }

  /** Ends every connection of this history. */
  close(): void {
    for (const { connections } of this.opened.values()) connections.destroy();
    for (const transaction of this.transactions) transaction.destroy();
  }

  /** Draws the faults of the whole database. */
  private plan(simulation: Simulation): void {
    const { scheduler, plan } = simulation;
    const chance = simulation.chanceOf('database');
    const last = plan.operations.reduce(
      (end, { at, kind }) => (kind === 'resolve' || kind === 'read' ? end : Math.max(end, at)),
      0,
    );
    const sometime = (): number => chance.below(last + 60_000);
    const sometimes = (name: string, rate: number, happen: () => void): void => {
      const at = sometime();
      if (!chance.happens(rate) || simulation.isSuppressed(name)) return;
      simulation.faulted(name);
      scheduler.after(at, null, name, happen);
    };
    this.conflictRate = chance.pick([0, 0, 0, 0.02, 0.1]);
    for (const n of [1, 2]) {
      const held = chance.pick(HELD);
      const heldMs = chance.duration(10, 60_000);
      sometimes(`another client locks ${n}`, 0.15, () => void this.hold(held, heldMs));
    }
    sometimes('the server ends all connections', 0.1, () => {
      simulation.reached('the server ended all connections');
      void this.observeAfter(() => this.server.endConnections());
    });
    const how = chance.pick(['in order', 'crash'] as const);
    sometimes('the server restarts', 0.01, () => {
      simulation.reached(`server restarted (${how})`);
      void this.observeAfter(() => this.server.restart(how));
    });
  }

  private async hold(statement: string, ms: number): Promise<void> {
    const { processes } = this;
    const client = await this.work.run(() => this.server.hold(statement));
    if (!client) return;
    processes.reached("locked by somebody else's transaction");
    processes.scheduler.after(ms, null, 'the other client releases its locks', () => {
      void this.observeAfter(async () => {
        await client.query('rollback').catch(() => undefined);
        await client.end().catch(() => undefined);
      });
    });
  }

  private async observeAfter(happen: () => Promise<void>): Promise<void> {
    const snapshot = await this.work.run(async () => {
      await happen();
      return this.snapshots.fetch();
    });
    this.snapshots.apply(snapshot, null);
    this.processes.scheduler.changed();
  }
}
