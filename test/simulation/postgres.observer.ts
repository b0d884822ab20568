import type { OperationRecord } from '../../libs/payments/src/operations/operation.forms.js';
import { readOperation } from '../../libs/postgres/src/operations/operation.row.js';
import type { Row } from '../../libs/postgres/src/row.js';
import type { SimulatedServer } from './postgres.server.js';
import type { RealWork } from './real.work.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { Simulation } from './history.simulation.js';
import { changeIn, isMade, StoreObserver, type WrittenEvent } from './store.observer.js';
import { BARE_KEPT_MS } from './memory-store.inspection.js';
import type { Queue } from './virtual.scheduler.js';

type Waits = readonly [queue: Queue, dueAt: number, leaseUntil: number | null];

type Bare = readonly [platformId: string, at: number];

/** The state when a call began. */
export interface Begun {
  at: number;
  /** Ids of its events that were written before. */
  known: ReadonlySet<string>;
}

/** Changes since the last snapshot, and waiting work. */
export interface Snapshot {
  number: number;
  operations: OperationRecord[];
  events: WrittenEvent[];
  waits: Waits[];
  /** Bare requests. */
  bares: Bare[];
}

/** Reads everything that is committed, even if no process received the answer. */
const SNAPSHOT_SQL = `
select
  (select coalesce(json_agg(operation), '[]') from (
    select *, (extract(epoch from :schema.clock()) * 1000)::text as now
    from :schema.operation_row where id || ' ' || version <> all($1::text[])) operation)::text as operations,
  (select coalesce(json_agg(event order by place), '[]') from (
    select place, id, name, payload from :schema.event where id <> all($2::text[])) event)::text as events,
  (select coalesce(json_agg(json_build_array(
      queue, extract(epoch from due_at) * 1000, extract(epoch from claimed_until) * 1000)), '[]') from (
    select case when state in ('needs_review', 'failed', 'partially_succeeded') then 'followed payments' else 'payments' end as queue, due_at,
      claimed_until
    from :schema.operation where due_at is not null and state not in ('succeeded', 'reversed')
    union all select kind || 's', due_at, claimed_until from :schema.delivery_queue
    union all select 'calls', due_at, claimed_until from :schema.call where state = 'pending'
    union all select 'planned work', due_at, null from :schema.planned_work) waits)::text as waits,
  (select coalesce(json_agg(json_build_array(platform_id, extract(epoch from created_at) * 1000)), '[]')
    from :schema.bare_request where platform_id is not null)::text as bares
`.replaceAll(':schema', 'tillkit');

/** Reads the tables after each call that may have changed them. */
export class PostgresObserver extends StoreObserver {
  private waits: readonly Waits[] = [];
  private bares: readonly Bare[] = [];
  private snapshots = 0;
  private latestApplied = 0;

  constructor(
    simulation: Simulation,
    private readonly server: SimulatedServer,
    private readonly work: RealWork,
  ) {
    super(simulation);
  }

  /** Call it within `RealWork.run()`. */
  async fetch(): Promise<Snapshot> {
    const number = (this.snapshots += 1);
    const known = [...this.operations].map(([id, { record }]) => `${id} ${record?.version}`);
    const [row] = await this.server.inspect<Record<keyof Omit<Snapshot, 'number'>, string>>(
      SNAPSHOT_SQL,
      [known, [...this.events.keys()]],
    );
    return {
      number,
      operations: (JSON.parse(row?.operations ?? '[]') as Row[]).map(
        (row) => readOperation(row) as OperationRecord,
      ),
      events: JSON.parse(row?.events ?? '[]') as WrittenEvent[],
      waits: JSON.parse(row?.waits ?? '[]') as Waits[],
      bares: JSON.parse(row?.bares ?? '[]') as Bare[],
    };
  }

  apply(
    { number, operations, events, waits, bares }: Snapshot,
    replica: SimulatedReplica | null,
  ): void {
    const fresh: OperationRecord[] = [];
    for (const record of operations) {
      const known = this.operations.get(record.id);
      if (!known) fresh.push(record);
      else if (record.version > (known.record?.version ?? 0)) this.compare(known, record);
    }
    // Existing operations first: one that ended may have allowed a new one.
    for (const record of fresh) {
      this.compare(this.known(record), record);
    }
    for (const event of events) this.written(event, replica);
    if (number < this.latestApplied) return;
    this.latestApplied = number;
    this.waits = waits;
    this.bares = bares;
  }

  /** Called before a call reaches the database. */
  begun(method: string, args: readonly unknown[]): Begun {
    this.freed(method, args);
    const { events = [] } = changeIn(method, args) ?? {};
    const known = events.map(({ id }) => id).filter((id) => this.events.has(id));
    return { at: this.simulation.scheduler.now, known: new Set(known) };
  }

  /** Called when a call was answered. */
  answered(
    replica: SimulatedReplica,
    method: string,
    args: readonly unknown[],
    { result, begun }: { result: unknown; begun: Begun },
  ): void {
    this.claimed(replica, method, result, begun.at);
    this.freed(method, args);
    const change = changeIn(method, args);
    if (change && isMade(result))
      this.simulation.checker.committed(change, (id) => begun.known.has(id));
    if (method === 'events.finishCall')
      this.simulation.checker.listeners.callFinished(args, result);
    if (method === 'operations.record')
      this.repeated(args as [OperationRecord], result as { kind: string });
  }

  /** Forgets a lease that the call may have ended. */
  private freed(method: string, args: readonly unknown[]): void {
    const id =
      method === 'operations.schedule'
        ? (args[0] as { id: string }).id
        : changeIn(method, args)?.operation?.id;
    if (id !== undefined) this.simulation.checker.paymentFreed(id);
  }

  override async observe(): Promise<void> {
    this.apply(await this.work.run(() => this.fetch()), null);
  }

  override async recordingVisible(): Promise<void> {
    await this.observe();
  }

  knowsBareRequest(platformId: string, now: number): boolean {
    return this.bares.some(([id, at]) => id === platformId && at > now - BARE_KEPT_MS);
  }

  hasDueWork(queue: Queue | null, now: number): boolean {
    if (queue?.startsWith('claims of')) return true;
    return this.waits.some(
      ([name, dueAt, leaseUntil]) =>
        (queue === null || queue === name) && dueAt <= now && (leaseUntil ?? 0) <= now,
    );
  }
}
