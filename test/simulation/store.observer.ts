import type { LedgerChange } from '../../libs/payments/src/ledger/ledger.store.js';
import type {
  PaymentRecord,
  PaymentState,
} from '../../libs/payments/src/operations/payments/payment.js';
import type { Money } from './platform.truth.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { Simulation } from './history.simulation.js';
import { isEmpty } from './simulated.store.js';
import { versionOf } from './memory-store.inspection.js';

/** Every state transition that the rules allow, written independently of the library. */
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
  /** It was matched to its transaction by till, amount and phone, without a platform id. */
  isMatched?: boolean;
}

export interface WrittenEvent {
  id: string;
  name: string;
  payload: Record<string, unknown>;
}

/** Calls that do not change payments. */
const READS =
  /^(init|anomalies|tokens|sweeps|statistics)|\.(find|list|history|claim|renew|deadLetters|register|store|finish|missing)/;

/** Reads the store after each call that took effect, and checks the rules. */
export class StoreObserver {
  /** Payments by id. */
  readonly payments = new Map<string, Known>();
  /** Written events by id. */
  readonly events = new Map<string, WrittenEvent>();

  constructor(protected readonly simulation: Simulation) {}

  /** The payment of an idempotency key; null while it is not recorded. */
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
      this.simulation.checker.callFinished(args, result);
    }
    if (READS.test(method)) return;
    if (method === 'ledger.commit' && !isEmpty(result)) {
      const [change] = args[0] as [LedgerChange];
      this.simulation.checker.committed(change);
      if (change.operation) this.simulation.checker.paymentFreed(change.operation.id);
    }
    if (method === 'operations.schedule')
      this.simulation.checker.paymentFreed((args[0] as { id: string }).id);
    if (method === 'operations.record') await this.recorded(result as { kind: string });
    if (!isEmpty(result)) {
      for (const event of eventsIn(args)) {
        this.written(event, replica);
      }
    }
    await this.observe();
  }

  /** Called when an event was committed. It counts each event once. */
  protected written(event: WrittenEvent, replica: SimulatedReplica | null): void {
    if (this.events.has(event.id)) return;
    this.events.set(event.id, event);
    this.simulation.scheduler.note(
      `EVENT ${event.name} ${event.id.slice(0, 8)} by ${replica?.name}`,
    );
    this.simulation.checker.eventWritten(event);
  }

  /** Compares each payment with its last known version. */
  async observe(): Promise<void> {
    for (const [id, known] of this.payments) {
      if (known.record && versionOf(this.simulation.store, id) === known.record.version) continue;
      const record = await this.simulation.store.operations.find('default', id);
      if (record !== null) this.compare(known, record as PaymentRecord);
    }
  }

  /** Compares a payment with its last known version. */
  protected compare(known: Known, record: PaymentRecord): void {
    const before = known.record;
    if (record.version === before?.version) return;
    known.record = record;
    // Two changes at once are seen as one.
    const missed = record.version - (before?.version ?? 0) > 1;
    const state = record.state as PaymentState;
    if (record.transaction !== null && !before?.transaction)
      known.isMatched = record.platformId === null;
    if (record.windowSwept && !before?.windowSwept) this.simulation.checker.windowReleased(record);
    if (before && before.state !== state) {
      this.simulation.scheduler.note(
        `PAYMENT ${known.key} ${before.state} to ${state} ${record.cause ?? ''}`,
      );
      if (!ALLOWED[before.state as PaymentState].includes(state) && !missed) {
        this.simulation.violate(
          'forbidden transition',
          `payment ${known.key} went from ${before.state} to ${state}`,
        );
      }
      this.noteSituations(before, record);
    } else if (!before && state !== 'created' && !missed) {
      this.simulation.violate('forbidden transition', `payment ${known.key} began as ${state}`);
    }
  }

  /** Called when a recorded payment becomes visible, for example by the commit of its host transaction. */
  async recordingVisible(key: string): Promise<void> {
    const record = await this.simulation.store.operations.findByIdempotencyKey(
      'default',
      'payment',
      key,
    );
    if (record && !this.payments.has(record.id)) {
      this.simulation.checker.paymentRecorded(record as PaymentRecord);
      this.payments.set(record.id, { key, record: null });
      await this.observe();
    }
  }

  reversed(money: Money): void {
    const record = money.request && this.ofKey(money.request.key);
    if (record?.state === 'needs_review') this.simulation.reached('reversal during review');
    else if (record && record.state !== 'succeeded')
      this.simulation.reached('reversal before success');
  }

  /** Notes the situations that the result of a recording shows. */
  protected repeated(result: { kind: string; operation?: PaymentRecord }): void {
    if (result.kind === 'existing') {
      const state = result.operation?.state;
      if (state === 'created')
        this.simulation.reached('idempotency key repeated while the payment is created');
      else this.simulation.reached('idempotency key repeated');
    }
    if (result.kind === 'in_flight')
      this.simulation.reached('request refused because a payment is in flight');
  }

  private async recorded(result: { kind: string; operation?: PaymentRecord }): Promise<void> {
    this.repeated(result);
    if (result.kind !== 'recorded' || !result.operation) return;
    await this.recordingVisible(result.operation.idempotencyKey);
  }

  private noteSituations(before: PaymentRecord, { state, cause }: PaymentRecord): void {
    if (state === 'needs_review' && cause) this.simulation.reached(`review: ${cause}`);
    if (cause === 'ambiguous') this.simulation.reached('ambiguous match');
    if (before.state === 'needs_review' && state === 'succeeded')
      this.simulation.reached('success after a review');
    if (before.state === 'unknown' && state === 'succeeded' && before.platformId === null)
      this.simulation.reached('success of an unknown payment without a platform id');
    if (state === 'unknown') this.simulation.reached('payment of unknown outcome');
    if (state === 'reversed') this.simulation.reached('payment reversed');
    if (before.state === 'created' && state === 'failed')
      this.simulation.reached('failed before sending');
  }

  /** @param at when the claim began, at the latest */
  protected claimed(
    replica: SimulatedReplica | null,
    method: string,
    result: unknown,
    at = this.simulation.scheduler.now,
  ): void {
    if (!method.includes('.claim') || !Array.isArray(result)) return;
    if (method === 'operations.claimDue' && replica) {
      const ids = (result as { id: string }[]).map(({ id }) => id);
      this.simulation.checker.paymentsClaimed(replica, ids, at);
    }
    this.simulation.checker.callsClaimed(result as { id: string }[]);
    for (const item of result as { attempts?: number; lastError?: string | null }[]) {
      if ((item.attempts ?? 0) > 1 && item.lastError === null)
        this.simulation.reached('lease expired during work');
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
