import type { LedgerChange } from '../../libs/payments/src/ledger/ledger.store.js';
import type { PaymentRecord } from '../../libs/payments/src/operations/payments/payment.js';
import { readOperation } from '../../libs/postgres/src/operations/operation.row.js';
import type { Row } from '../../libs/postgres/src/row.js';
import type { SimulatedServer } from './postgres.server.js';
import type { RealWork } from './real.work.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';
import { isEmpty } from './simulated.store.js';
import { StoreObserver, type WrittenEvent } from './store.observer.js';
import { BARE_KEPT_MS } from './store.peek.js';
import type { Queue } from './virtual.scheduler.js';

type Waits = readonly [queue: Queue, dueAt: number, leaseUntil: number | null];

type Bare = readonly [platformId: string, at: number];

/** What was known when a call began. */
export interface Begun {
  at: number;
  /** Those of its events that were written before. */
  known: ReadonlySet<string>;
}

/** What changed since the last look, and what waits. */
export interface Snapshot {
  number: number;
  payments: PaymentRecord[];
  events: WrittenEvent[];
  waits: Waits[];
  /** Requests of the host's own. */
  bares: Bare[];
}

/** Everything that is committed, whoever committed it, and whether or not anybody received the answer. */
const LOOK = `
select
  (select coalesce(json_agg(operation), '[]') from (
    select *, (extract(epoch from :schema.clock()) * 1000)::text as now
    from :schema.operation_row where id || ' ' || version <> all($1::text[])) operation)::text as payments,
  (select coalesce(json_agg(event order by place), '[]') from (
    select place, id, name, payload from :schema.event where id <> all($2::text[])) event)::text as events,
  (select coalesce(json_agg(json_build_array(
      queue, extract(epoch from due_at) * 1000, extract(epoch from claimed_until) * 1000)), '[]') from (
    select case when state in ('needs_review', 'failed') then 'followed payments' else 'payments' end as queue, due_at,
      claimed_until
    from :schema.operation where due_at is not null and state not in ('succeeded', 'reversed')
    union all select kind || 's', due_at, claimed_until from :schema.delivery_queue
    union all select 'calls', due_at, claimed_until from :schema.call where state = 'pending') waits)::text as waits,
  (select coalesce(json_agg(json_build_array(platform_id, extract(epoch from created_at) * 1000)), '[]')
    from :schema.bare_request where platform_id is not null)::text as bares
`.replaceAll(':schema', 'tillkit');

/** The one change that a call of the ledger makes. */
function changeIn(method: string, args: readonly unknown[]): LedgerChange | undefined {
  return method === 'ledger.commit' ? (args[0] as LedgerChange[])[0] : undefined;
}

/** Looks into the database itself after whatever may have changed it. */
export class PostgresObserver extends StoreObserver {
  private waits: readonly Waits[] = [];
  private bares: readonly Bare[] = [];
  private looks = 0;
  private seen = 0;

  constructor(
    world: World,
    private readonly server: SimulatedServer,
    private readonly work: RealWork,
  ) {
    super(world);
  }

  /** Real work: to be begun as such. */
  async fetch(): Promise<Snapshot> {
    const number = (this.looks += 1);
    const known = [...this.payments].map(([id, { record }]) => `${id} ${record?.version}`);
    const [row] = await this.server.look<Record<keyof Omit<Snapshot, 'number'>, string>>(LOOK, [
      known,
      [...this.events.keys()],
    ]);
    return {
      number,
      payments: (JSON.parse(row?.payments ?? '[]') as Row[]).map(readOperation),
      events: JSON.parse(row?.events ?? '[]') as WrittenEvent[],
      waits: JSON.parse(row?.waits ?? '[]') as Waits[],
      bares: JSON.parse(row?.bares ?? '[]') as Bare[],
    };
  }

  apply(
    { number, payments, events, waits, bares }: Snapshot,
    replica: SimulatedReplica | null,
  ): void {
    const fresh: PaymentRecord[] = [];
    for (const record of payments) {
      const known = this.payments.get(record.id);
      if (!known) fresh.push(record);
      else if (record.version > (known.record?.version ?? 0)) this.compare(known, record);
    }
    // What ended may have made room for what is new.
    for (const record of fresh) {
      const known = { key: record.idempotencyKey, record: null };
      this.world.checker.paymentRecorded(record);
      this.payments.set(record.id, known);
      this.compare(known, record);
    }
    for (const event of events) this.written(event, replica);
    if (number < this.seen) return;
    this.seen = number;
    this.waits = waits;
    this.bares = bares;
  }

  /** A call is about to reach the database, which may do it whether or not anybody receives the answer. */
  begun(method: string, args: readonly unknown[]): Begun {
    this.freed(method, args);
    const { events = [] } = changeIn(method, args) ?? {};
    const known = events.map(({ id }) => id).filter((id) => this.events.has(id));
    return { at: this.world.scheduler.now, known: new Set(known) };
  }

  /** A call was answered. */
  answered(
    replica: SimulatedReplica,
    method: string,
    args: readonly unknown[],
    { result, begun }: { result: unknown; begun: Begun },
  ): void {
    this.claimed(replica, method, result, begun.at);
    this.freed(method, args);
    const change = changeIn(method, args);
    if (change && !isEmpty(result))
      this.world.checker.committed(change, (id) => begun.known.has(id));
    if (method === 'events.finishCall') this.world.checker.callFinished(args, result);
    if (method === 'operations.record') this.repeated(result as { kind: string });
  }

  /** A lease that a call may have ended protects nothing any more. */
  private freed(method: string, args: readonly unknown[]): void {
    const id =
      method === 'operations.schedule'
        ? (args[0] as { id: string }).id
        : changeIn(method, args)?.operation?.id;
    if (id !== undefined) this.world.checker.paymentFreed(id);
  }

  override async look(): Promise<void> {
    this.apply(await this.work.run(() => this.fetch()), null);
  }

  override async appeared(): Promise<void> {
    await this.look();
  }

  remembersBare(platformId: string, now: number): boolean {
    return this.bares.some(([id, at]) => id === platformId && at > now - BARE_KEPT_MS);
  }

  holdsWork(queue: Queue | null, now: number): boolean {
    if (queue?.startsWith('claims of')) return true;
    return this.waits.some(
      ([name, dueAt, leaseUntil]) =>
        (queue === null || queue === name) && dueAt <= now && (leaseUntil ?? 0) <= now,
    );
  }
}
