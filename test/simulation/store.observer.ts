import type { LedgerChange } from '../../libs/payments/src/ledger/ledger.store.js';
import type {
  PaymentRecord,
  PaymentState,
} from '../../libs/payments/src/operations/payments/payment.js';
import type { Money } from './platform.truth.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';
import { isEmpty } from './simulated.store.js';
import { versionOf } from './store.peek.js';

/** Every change of state that the rules allow, by our own reading of them. */
const ALLOWED: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  created: ['requested', 'failed'],
  requested: ['pending', 'unknown', 'failed', 'succeeded', 'needs_review'],
  pending: ['succeeded', 'failed', 'needs_review'],
  unknown: ['pending', 'succeeded', 'failed', 'needs_review'],
  needs_review: ['succeeded', 'failed', 'reversed'],
  failed: ['needs_review'],
  succeeded: ['reversed'],
  reversed: [],
};

export interface Known {
  key: string;
  record: PaymentRecord | null;
  /** It got its money while the platform had given no id of it: only till, amount and phone could say whose that is. */
  isMatched?: boolean;
}

export interface WrittenEvent {
  id: string;
  name: string;
  payload: Record<string, unknown>;
}

/** Calls after which no payment can look different. */
const READS =
  /^(init|anomalies|tokens|sweeps|statistics)|\.(find|list|history|claim|renew|deadLetters|register|store|finish|missing)/;

/** Looks at the store after each call that took effect, whoever made it. */
export class StoreObserver {
  /** Payments by id. */
  readonly payments = new Map<string, Known>();
  /** Events that were written, by id. */
  readonly events = new Map<string, WrittenEvent>();

  constructor(protected readonly world: World) {}

  /** The payment of a key; null while none is recorded. */
  ofKey(key: string): PaymentRecord | null {
    for (const known of this.payments.values()) if (known.key === key) return known.record;
    return null;
  }

  async stored(
    replica: SimulatedReplica | null,
    method: string,
    args: readonly unknown[],
    result: unknown,
  ): Promise<void> {
    this.claimed(replica, method, result);
    if (method === 'events.finishCall') {
      this.world.checker.callFinished(args, result);
    }
    if (READS.test(method)) return;
    if (method === 'ledger.commit' && !isEmpty(result)) {
      const [change] = args[0] as [LedgerChange];
      this.world.checker.committed(change);
      if (change.operation) this.world.checker.paymentFreed(change.operation.id);
    }
    if (method === 'operations.schedule')
      this.world.checker.paymentFreed((args[0] as { id: string }).id);
    if (method === 'operations.record') await this.recorded(result as { kind: string });
    if (!isEmpty(result)) {
      for (const event of eventsIn(args)) {
        this.written(event, replica);
      }
    }
    await this.look();
  }

  /** An event was committed; once each. */
  protected written(event: WrittenEvent, replica: SimulatedReplica | null): void {
    if (this.events.has(event.id)) return;
    this.events.set(event.id, event);
    this.world.scheduler.note(`EVENT ${event.name} ${event.id.slice(0, 8)} by ${replica?.name}`);
    this.world.checker.eventWritten(event);
  }

  /** Compares each payment with what it was. */
  async look(): Promise<void> {
    for (const [id, known] of this.payments) {
      if (known.record && versionOf(this.world.store, id) === known.record.version) continue;
      const record = await this.world.store.operations.find('default', id);
      if (record !== null) this.compare(known, record);
    }
  }

  /** Compares a payment with what it was. */
  protected compare(known: Known, record: PaymentRecord): void {
    const before = known.record;
    if (record.version === before?.version) return;
    known.record = record;
    // What two changes at once made of it is seen once.
    const missed = record.version - (before?.version ?? 0) > 1;
    const { state } = record;
    if (record.transaction !== null && !before?.transaction)
      known.isMatched = record.platformId === null;
    if (record.windowSwept && !before?.windowSwept) this.world.checker.windowReleased(record);
    if (before && before.state !== state) {
      this.world.scheduler.note(
        `PAYMENT ${known.key} ${before.state} to ${state} ${record.cause ?? ''}`,
      );
      if (!ALLOWED[before.state].includes(state) && !missed) {
        this.world.violate(
          'transition',
          `payment ${known.key} went from ${before.state} to ${state}`,
        );
      }
      this.meet(before, record);
    } else if (!before && state !== 'created' && !missed) {
      this.world.violate('transition', `payment ${known.key} began as ${state}`);
    }
  }

  /** A host transaction was committed: its payment is there now. */
  async appeared(key: string): Promise<void> {
    const record = await this.world.store.operations.findByIdempotencyKey('default', key);
    if (record && !this.payments.has(record.id)) {
      this.world.checker.paymentRecorded(record);
      this.payments.set(record.id, { key, record: null });
      await this.look();
    }
  }

  reversed(money: Money): void {
    const record = money.request && this.ofKey(money.request.key);
    if (record?.state === 'needs_review') this.world.met('reversal during review');
    else if (record && record.state !== 'succeeded') this.world.met('reversal before success');
  }

  /** What the answer to a recording shows. */
  protected repeated(result: { kind: string; operation?: PaymentRecord }): void {
    if (result.kind === 'existing') {
      const state = result.operation?.state;
      if (state === 'created') this.world.met('repeat of a key while created');
      else this.world.met('repeat of a key');
    }
    if (result.kind === 'in_flight') this.world.met('payment in flight refused');
  }

  private async recorded(result: { kind: string; operation?: PaymentRecord }): Promise<void> {
    this.repeated(result);
    if (result.kind !== 'recorded' || !result.operation) return;
    await this.appeared(result.operation.idempotencyKey);
  }

  private meet(before: PaymentRecord, { state, cause }: PaymentRecord): void {
    if (state === 'needs_review' && cause) this.world.met(`review: ${cause}`);
    if (cause === 'ambiguous') this.world.met('two candidates for one money');
    if (before.state === 'needs_review' && state === 'succeeded')
      this.world.met('succeeded after review');
    if (before.state === 'unknown' && state === 'succeeded' && before.platformId === null)
      this.world.met('outcome of a payment without an id');
    if (state === 'unknown') this.world.met('unknown');
    if (state === 'reversed') this.world.met('payment reversed');
    if (before.state === 'created' && state === 'failed') this.world.met('failed before sending');
  }

  /** @param at when the claim began, at the latest: its lease may be as old as that */
  protected claimed(
    replica: SimulatedReplica | null,
    method: string,
    result: unknown,
    at = this.world.scheduler.now,
  ): void {
    if (!method.includes('.claim') || !Array.isArray(result)) return;
    if (method === 'operations.claimDue' && replica) {
      const ids = (result as { id: string }[]).map(({ id }) => id);
      this.world.checker.paymentsClaimed(replica, ids, at);
    }
    this.world.checker.callsClaimed(result as { id: string }[]);
    for (const item of result as { attempts?: number; lastError?: string | null }[]) {
      if ((item.attempts ?? 0) > 1 && item.lastError === null)
        this.world.met('lease ended in the middle');
    }
  }
}

/** Events in the arguments of a commit, however changes are grouped. */
function eventsIn(value: unknown, depth = 0): WrittenEvent[] {
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  if (Array.isArray(value)) return value.flatMap((item) => eventsIn(item, depth + 1));
  const { events } = value as { events?: unknown };
  if (Array.isArray(events)) return events as WrittenEvent[];
  return depth === 0 ? [] : Object.values(value).flatMap((item) => eventsIn(item, depth + 2));
}
