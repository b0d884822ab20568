import type { Committed, LedgerChange } from '../../libs/payments/src/store/ledger.store.js';
import type { ClaimedDelivery } from '../../libs/payments/src/store/deliveries.store.js';
import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { PaymentRecord } from '../../libs/payments/src/operations/payments/payment.js';
import { isAllowed } from './allowed.transitions.js';
import type { Money } from './platform.truth.js';
import type { ReplicaAccount } from './replica.account.js';
import type { Simulation } from './history.simulation.js';
import { isEmpty } from './simulated.store.js';
import { versionOf } from './memory-store.inspection.js';

export interface ObservedPayment {
  key: string;
  record: PaymentRecord | null;
  /** It was matched to its transaction by till, amount and phone, without a platform id. */
  isMatched?: boolean;
}

/** An operation of any kind. */
export interface ObservedOperation {
  key: string;
  kind: string;
  record: OperationRecord | null;
  /** The time when somebody approved it; null while nobody did. */
  approvedAt: number | null;
}

export interface WrittenEvent {
  id: string;
  name: string;
  payload: Record<string, unknown>;
}

/** A row that a claim returned. */
interface Claimed {
  id: string;
  account: string;
}

/** Calls that do not change payments. */
const READS =
  /^(init|anomalies|tokens|sweeps|statistics|pauses|plannedWork)|\.(find|list|history|claim|renew|deadLetters|register|store|finish|missing)/;

/** Reads the store after each call that took effect, and checks the rules. */
export class StoreObserver {
  /** Operations of all kinds, by id. */
  readonly operations = new Map<string, ObservedOperation>();
  /** Payments by id. */
  readonly payments = new Map<string, ObservedPayment>();
  /** Written events by id. */
  readonly events = new Map<string, WrittenEvent>();
  /** The attempt of the last claim of each delivery. */
  private readonly attempts = new Map<string, number>();

  constructor(protected readonly simulation: Simulation) {}

  /** Returns the payment of an idempotency key; null while it is not recorded. */
  ofKey(key: string): PaymentRecord | null {
    for (const known of this.payments.values()) if (known.key === key) return known.record;
    return null;
  }

  /** Returns the operation of any kind with an idempotency key; null while it is not recorded. */
  operationOf(key: string): OperationRecord | null {
    return this.knownOf(key)?.record ?? null;
  }

  knownOf(key: string): ObservedOperation | null {
    for (const known of this.operations.values()) if (known.key === key) return known;
    return null;
  }

  async stored(
    replica: ReplicaAccount | null,
    method: string,
    args: readonly unknown[],
    result: unknown,
  ): Promise<void> {
    this.claimed(replica, method, args, result);
    if (accountIn(args) !== this.simulation.account) return;
    if (method === 'events.finishCall') {
      this.simulation.checker.listeners.callFinished(args, result);
    }
    this.noteAnomaly(method, args);
    if (READS.test(method)) return;
    const change = changeIn(method, args);
    if (change && isMade(result)) {
      this.simulation.checker.committed(change);
      if (change.operation) this.simulation.checker.paymentFreed(change.operation.id);
    }
    if (method === 'operations.schedule')
      this.simulation.checker.paymentFreed((args[0] as { id: string }).id);
    if (method === 'operations.record') await this.recorded(args, result as { kind: string });
    if (isMade(result)) {
      for (const event of eventsIn(args)) {
        this.written(event, replica);
      }
    }
    await this.observe();
  }

  /** The simulation calls this when an event was committed. It counts each event once. */
  protected written(event: WrittenEvent, replica: ReplicaAccount | null): void {
    if (this.events.has(event.id)) return;
    this.events.set(event.id, event);
    this.simulation.scheduler.note(
      `EVENT ${event.name} ${event.id.slice(0, 8)} by ${replica?.name}`,
    );
    this.simulation.crossTalk.eventWritten(event);
    this.simulation.checker.eventWritten(event);
  }

  /** Compares each operation with its last known version. */
  async observe(): Promise<void> {
    for (const [id, known] of this.operations) {
      if (known.record && versionOf(this.simulation.processes.store, id) === known.record.version)
        continue;
      const record = await this.simulation.processes.store.operations.find(
        this.simulation.account,
        id,
      );
      if (record !== null) this.compare(known, record as OperationRecord);
    }
  }

  /** Compares an operation with its last known version. */
  protected compare(known: ObservedOperation, record: OperationRecord): void {
    const before = known.record;
    if (record.version === before?.version) return;
    known.record = record;
    this.simulation.crossTalk.operationChanged(known.key, record);
    this.simulation.processes.pauses.changed(this.simulation, before, record);
    this.simulation.checker.sending.changed(record);
    if (record.approvedBy !== null && known.approvedAt === null) {
      known.approvedAt = this.simulation.scheduler.now;
      this.simulation.checker.guard.approved(record);
    }
    this.checkTransition(known, before, record);
    if (record.state === 'reversed' && before?.state !== 'reversed') this.nowReversed(record);
    if (isPayment(record)) this.comparePayment(before as PaymentRecord | null, record);
    else this.simulation.moneyOut.changed(before, record);
  }

  private nowReversed(record: OperationRecord): void {
    this.simulation.moneyOut.reversed(record);
    this.simulation.checker.reports.reversed(record);
  }

  protected noteAnomaly(method: string, [, what, example]: readonly unknown[]): void {
    if (method === 'anomalies.record')
      this.simulation.checker.reports.anomalyRecorded(String(what), String(example));
  }

  private checkTransition(
    { key, kind }: ObservedOperation,
    before: OperationRecord | null,
    { state, version, cause, inBackground }: OperationRecord,
  ): void {
    // Two changes at once are seen as one.
    const missed = version - (before?.version ?? 0) > 1;
    if (before && before.state !== state) {
      this.simulation.scheduler.note(
        `${kind.toUpperCase()} ${key} ${before.state} to ${state} ${cause ?? ''}`,
      );
      if (!isAllowed(kind, before.state, state) && !missed) {
        this.simulation.violate(
          'forbidden transition',
          `${kind} ${key} went from ${before.state} to ${state}`,
        );
      }
    } else if (!before && state !== 'created' && !missed) {
      // Only a call that sends at once may record an operation as requested.
      if (state === 'requested' && !inBackground) return;
      this.simulation.violate('forbidden transition', `${kind} ${key} began as ${state}`);
    }
  }

  private comparePayment(before: PaymentRecord | null, record: PaymentRecord): void {
    const existing = this.payments.get(record.id);
    if (!existing) return;
    existing.record = record;
    if (record.transaction !== null && !before?.transaction)
      existing.isMatched = record.platformId === null;
    if (before && before.state !== record.state) this.noteSituations(before, record);
  }

  protected observed(record: OperationRecord): ObservedOperation {
    const { id, kind, idempotencyKey: key } = record;
    const known: ObservedOperation = { key, kind, record: null, approvedAt: null };
    this.simulation.checker.guard.recorded(record);
    if (isPayment(record)) {
      this.payments.set(id, { key, record: null });
    } else this.simulation.moneyOut.recorded(record);
    this.operations.set(id, known);
    this.simulation.crossTalk.recorded(record);
    return known;
  }

  /** The simulation calls this when a recorded operation becomes visible, for example by the commit of its host transaction. */
  async recordingVisible(key: string, kind: string): Promise<void> {
    const record = await this.simulation.processes.store.operations.findByIdempotencyKey(
      this.simulation.account,
      kind,
      key,
    );
    if (record && !this.operations.has(record.id)) {
      this.observed(record as OperationRecord);
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
  protected repeated(
    [{ kind }]: readonly [Pick<OperationRecord, 'kind'>],
    result: { kind: string; operation?: OperationRecord },
  ): void {
    if (result.kind === 'existing') {
      const state = result.operation?.state;
      if (state === 'created')
        this.simulation.reached('idempotency key repeated while the payment is created');
      else this.simulation.reached('idempotency key repeated');
    }
    if (result.kind === 'over_limit') this.simulation.reached('payout above the limit of a day');
    if (result.kind === 'in_flight')
      this.simulation.reached(
        kind === 'payout'
          ? 'payout refused because an equal one is open'
          : `request refused because a ${kind} is in flight`,
      );
  }

  private async recorded(
    args: readonly unknown[],
    result: { kind: string; operation?: OperationRecord },
  ): Promise<void> {
    this.repeated(args as [OperationRecord], result);
    if (result.kind !== 'recorded' || !result.operation) return;
    const { idempotencyKey, kind } = result.operation;
    await this.recordingVisible(idempotencyKey, kind);
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
    replica: ReplicaAccount | null,
    method: string,
    args: readonly unknown[],
    result: unknown,
    at = this.simulation.scheduler.now,
  ): void {
    const isOwn = accountIn(args) === this.simulation.account;
    if (isOwn && method.startsWith('ledger.commit') && isMade(result))
      this.simulation.checker.listeners.callsClaimed((result as Committed).calls);
    if (!method.includes('.claim') || !Array.isArray(result)) return;
    const own = (result as Claimed[]).filter(({ account }) => account === this.simulation.account);
    if (method === 'operations.claimDue' && replica) {
      const ids = own.map(({ id }) => id);
      this.simulation.checker.paymentsClaimed(replica, ids, at);
    }
    this.simulation.checker.listeners.callsClaimed(own);
    if (method !== 'deliveries.claim') return;
    for (const { id, attempts, lastError } of own as ClaimedDelivery[]) {
      // A claim whose outcome was not stored is followed by one of the same attempt.
      if (lastError === null && this.attempts.get(id) === attempts)
        this.simulation.reached('lease expired during work');
      this.attempts.set(id, attempts);
    }
  }
}

function isPayment(record: OperationRecord): record is PaymentRecord & OperationRecord {
  return record.kind === 'payment';
}

/** Returns the change that a call of the ledger makes, if it is not refused. */
export function changeIn(method: string, args: readonly unknown[]): LedgerChange | undefined {
  return method.startsWith('ledger.commit') ? (args[0] as LedgerChange) : undefined;
}

/** Returns the account that the arguments of a call name first; undefined when they name none. */
export function accountIn([first]: readonly unknown[]): string | undefined {
  return typeof first === 'string' ? first : (first as { account?: string } | undefined)?.account;
}

/** True when a call had an effect. A delivery may be stored without the change that it came with. */
export function isMade(result: unknown): boolean {
  const { kind = 'committed' } = (result ?? {}) as { kind?: unknown };
  return !isEmpty(result) && kind !== 'stored' && kind !== 'duplicate';
}

/** Returns events in the arguments of a commit, however changes are grouped. */
function eventsIn(value: unknown, depth = 0): WrittenEvent[] {
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  if (Array.isArray(value)) return value.flatMap((item) => eventsIn(item, depth + 1));
  const { events } = value as { events?: unknown };
  if (Array.isArray(events)) return events as WrittenEvent[];
  return depth === 0 ? [] : Object.values(value).flatMap((item) => eventsIn(item, depth + 2));
}
