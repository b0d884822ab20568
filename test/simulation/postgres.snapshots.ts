import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import { readOperation } from '../../libs/postgres/src/operations/operation.row.js';
import type { Row } from '../../libs/postgres/src/row.js';
import type { Processes } from './history.processes.js';
import { BARE_KEPT_MS } from './memory-store.inspection.js';
import type { PauseMark } from './pauses.checker.js';
import type { PostgresObserver } from './postgres.observer.js';
import type { SimulatedServer } from './postgres.server.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { WrittenEvent } from './store.observer.js';
import type { Queue } from './virtual.scheduler.js';

type Waits = readonly [queue: Queue, dueAt: number, leaseUntil: number | null];

type Bare = readonly [account: string, platformId: string, at: number];

/** Changes since the last snapshot, and waiting work, of all accounts. */
export interface Snapshot {
  number: number;
  operations: OperationRecord[];
  events: (WrittenEvent & { account: string })[];
  waits: Waits[];
  bares: Bare[];
  pauses: PauseMark[];
}

/** Reads all committed changes, even if no process received the answer. */
const SNAPSHOT_SQL = `
select
  (select coalesce(json_agg(operation), '[]') from (
    select *, (extract(epoch from :schema.clock()) * 1000)::text as now
    from :schema.operation_row where id || ' ' || version <> all($1::text[])) operation)::text as operations,
  (select coalesce(json_agg(event order by place), '[]') from (
    select place, account, id, name, payload from :schema.event where account || ' ' || id <> all($2::text[])) event)::text as events,
  (select coalesce(json_agg(json_build_array(
      queue, extract(epoch from due_at) * 1000, extract(epoch from claimed_until) * 1000)), '[]') from (
    select case when followed then 'followed payments' else 'payments' end as queue, due_at, claimed_until
    from :schema.operation_queue where due_at < 'infinity'
    union all select case when lane in ('sweep', 'retention') then 'planned work' else split_part(lane, ' ', 1) || 's' end, due_at, claimed_until
    from :schema.queue where lane <> 'done' and lane not like 'dead %') waits)::text as waits,
  (select coalesce(json_agg(json_build_array(account, platform_id, extract(epoch from created_at) * 1000)), '[]')
    from :schema.bare_request where platform_id is not null)::text as bares,
  (select coalesce(json_agg(json_build_object(
      'account', nullif(account, '*'), 'what', what, 'at', extract(epoch from at) * 1000) order by id), '[]')
    from :schema.pause)::text as pauses
`.replaceAll(':schema', 'tillkit');

/** Returns rows with the data of another account: $1 is the account, $2 the mark of the other one, $3 the same as bytes in hex. */
const FOREIGN_SQL = (table: string): string =>
  `select r::text as text from tillkit."${table}" r
   where r.account = $1 and (position($2 in r::text) > 0 or position($3 in r::text) > 0) limit 1`;

/** Reads the tables for the observers of all accounts. */
export class PostgresSnapshots {
  readonly observers = new Map<string, PostgresObserver>();
  private waits: readonly Waits[] = [];
  private bares: readonly Bare[] = [];
  private snapshots = 0;
  private latestApplied = 0;

  constructor(
    private readonly processes: Processes,
    private readonly server: SimulatedServer,
  ) {}

  /** Call it within `RealWork.run()`. */
  async fetch(): Promise<Snapshot> {
    const number = (this.snapshots += 1);
    const all = [...this.observers];
    const known = all.flatMap(([, { operations }]) =>
      [...operations].map(([id, { record }]) => `${id} ${record?.version}`),
    );
    const events = all.flatMap(([account, observer]) =>
      [...observer.events.keys()].map((id) => `${account} ${id}`),
    );
    const [row] = await this.server.inspect<Record<keyof Omit<Snapshot, 'number'>, string>>(
      SNAPSHOT_SQL,
      [known, events],
      'snapshot',
    );
    const read = <T>(text: string | undefined): T[] => JSON.parse(text ?? '[]') as T[];
    return {
      number,
      operations: read<Row>(row?.operations).map((each) => readOperation(each) as OperationRecord),
      events: read(row?.events),
      waits: read(row?.waits),
      bares: read(row?.bares),
      pauses: read(row?.pauses),
    };
  }

  apply(snapshot: Snapshot, replica: SimulatedReplica | null): void {
    const { number, operations, events, waits, bares, pauses } = snapshot;
    const isLatest = number >= this.latestApplied;
    if (isLatest) this.processes.pauses.note(pauses);
    for (const [account, observer] of this.observers) {
      const isOwn = (row: { account: string }): boolean => row.account === account;
      observer.apply(operations.filter(isOwn), events.filter(isOwn), replica?.of(account) ?? null);
    }
    if (!isLatest) return;
    this.latestApplied = number;
    this.waits = waits;
    this.bares = bares;
  }

  /** Checks every row of every account at the end of a history. */
  async checkRows(): Promise<void> {
    const tables = await this.server.inspect<{ name: string }>(
      `select c.table_name as name from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'tillkit' and c.column_name = 'account' and t.table_type = 'BASE TABLE'`,
      [],
    );
    const { worlds } = this.processes;
    for (const world of worlds) {
      const other = worlds.find((each) => each !== world)?.mark ?? '';
      const hex = Buffer.from(other).toString('hex');
      for (const { name } of tables) {
        const rows = await this.server.inspect<{ text: string }>(FOREIGN_SQL(name), [
          world.account,
          other,
          hex,
        ]);
        for (const { text } of rows)
          world.crossTalk.stored(`the table ${name}`, text.replaceAll(hex, other));
      }
    }
  }

  knowsBareRequest(account: string, platformId: string, now: number): boolean {
    return this.bares.some(
      ([of, id, at]) => of === account && id === platformId && at > now - BARE_KEPT_MS,
    );
  }

  hasDueWork(queue: Queue | null, now: number): boolean {
    if (queue?.startsWith('claims of')) return true;
    return this.waits.some(
      ([name, dueAt, leaseUntil]) =>
        (queue === null || queue === name) && dueAt <= now && (leaseUntil ?? 0) <= now,
    );
  }
}
