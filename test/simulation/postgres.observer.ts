import type { PaymentRecord } from '../../libs/payments/src/ledger/payment.js';
import { readPayment } from '../../libs/postgres/src/rows/payment.row.js';
import type { Row } from '../../libs/postgres/src/rows/row.js';
import { PAYMENT_COLUMNS } from '../../libs/postgres/src/sql/payments.sql.js';
import type { SimulatedServer } from './postgres.server.js';
import type { RealWork } from './real.work.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';
import { StoreObserver, type WrittenEvent } from './store.observer.js';
import type { Queue } from './virtual.scheduler.js';

type Waits = readonly [queue: Queue, dueAt: number, leaseUntil: number | null];

/** What changed since the last look, and what waits. */
export interface Snapshot {
  number: number;
  payments: PaymentRecord[];
  events: WrittenEvent[];
  waits: Waits[];
}

/** Everything that is committed, whoever committed it, and whether or not anybody was told. */
const LOOK = `
select
  (select coalesce(json_agg(payment), '[]') from (
    select ${PAYMENT_COLUMNS} from :schema.payment where id || ' ' || version <> all($1::text[])) payment)::text as payments,
  (select coalesce(json_agg(event order by place), '[]') from (
    select place, id, name, payload from :schema.event where id <> all($2::text[])) event)::text as events,
  (select coalesce(json_agg(json_build_array(
      queue, extract(epoch from due_at) * 1000, extract(epoch from claimed_until) * 1000)), '[]') from (
    select case when state in ('needs_review', 'failed') then 'followed payments' else 'payments' end as queue, due_at,
      claimed_until
    from :schema.payment where due_at is not null and state not in ('succeeded', 'reversed')
    union all select 'deliveries', due_at, claimed_until from :schema.delivery_queue
    union all select 'calls', due_at, claimed_until from :schema.call where state = 'pending') waits)::text as waits
`.replaceAll(':schema', 'tillkit');

/** Looks into the database itself after whatever may have changed it. */
export class PostgresObserver extends StoreObserver {
  private waits: readonly Waits[] = [];
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
    const [row] = await this.server.look<{ payments: string; events: string; waits: string }>(
      LOOK,
      [known, [...this.events.keys()]],
    );
    return {
      number,
      payments: (JSON.parse(row?.payments ?? '[]') as Row[]).map(readPayment),
      events: JSON.parse(row?.events ?? '[]') as WrittenEvent[],
      waits: JSON.parse(row?.waits ?? '[]') as Waits[],
    };
  }

  apply({ number, payments, events, waits }: Snapshot, replica: SimulatedReplica | null): void {
    for (const record of payments) {
      const known = this.payments.get(record.id) ?? { key: record.idempotencyKey, record: null };
      this.payments.set(record.id, known);
      if (record.version > (known.record?.version ?? 0)) this.compare(known, record);
    }
    for (const event of events) this.written(event, replica);
    if (number < this.seen) return;
    this.seen = number;
    this.waits = waits;
  }

  /** A call was answered. */
  answered(method: string, args: readonly unknown[], result: unknown): void {
    this.claimed(method, result);
    if (method === 'finishCall') this.world.checker.callFinished(args, result);
    if (method === 'recordPayment') this.repeated(result as { kind: string });
  }

  override async look(): Promise<void> {
    this.apply(await this.work.run(() => this.fetch()), null);
  }

  override async appeared(): Promise<void> {
    await this.look();
  }

  holdsWork(queue: Queue | null, now: number): boolean {
    if (queue?.startsWith('claims of')) return true;
    return this.waits.some(
      ([name, dueAt, leaseUntil]) =>
        (queue === null || queue === name) && dueAt <= now && (leaseUntil ?? 0) <= now,
    );
  }
}
