import { isFinal } from '../ledger/operation-states.js';
import { formOf, type OperationRecord } from '../operations/operation-forms.js';
import { withoutRecipient } from '../operations/payouts/payout-redaction.js';
import { isPayout } from '../operations/payouts/payout.js';
import { isRefund, type RefundRecord } from '../operations/refunds/refund.js';
import { PAID_AGAIN_AFTER_MS } from '../operations/payouts/payout-results.js';
import { MATCHED_FOR_MS } from '../store/transactions.store.js';
import type { NewEvent } from '../store/new-event.js';
import { withoutPerson } from '../store/redaction.js';
import {
  idsOf,
  type PersonalRecord,
  type PersonIn,
  type RetentionPolicy,
  type RetentionResult,
  RetentionStore,
} from '../store/retention.store.js';
import {
  bodyWithoutCustomer,
  hasOtherRecipients,
  isShared,
  mentionsCustomer,
  mentionsOneOf,
  withoutCustomer,
} from '../store/shared-rows.js';
import type { MemoryAnomaliesStore } from './memory-anomalies.store.js';
import type { MemoryBareRequestsStore } from './memory-bare-requests.store.js';
import type { MemoryDeliveriesStore } from './memory-deliveries.store.js';
import type { MemoryEventsStore } from './memory-events.store.js';
import { guardNoPerson } from './memory-guards.js';
import { isWithin } from './memory-lists.js';
import type { MemoryOperationsStore, OperationRow } from './memory-operations.store.js';
import type { MemoryPausesStore } from './memory-pauses.store.js';
import type { MemoryTotals } from './memory-totals.store.js';
import type { MemoryTransactionsStore } from './memory-transactions.store.js';

/** On request of a person, finished rows are redacted at once, unless money may still move. */
const OF_A_PERSON = {
  personalDataMs: 0,
  dedupeForMs: Number.POSITIVE_INFINITY,
  limit: Number.POSITIVE_INFINITY,
};

export class MemoryRetentionStore extends RetentionStore {
  constructor(
    private readonly operations: MemoryOperationsStore,
    private readonly transactions: MemoryTransactionsStore,
    private readonly deliveries: MemoryDeliveriesStore,
    private readonly events: MemoryEventsStore,
    private readonly counts: {
      anomalies: MemoryAnomaliesStore;
      bareRequests: MemoryBareRequestsStore;
      totals: MemoryTotals;
      pauses: MemoryPausesStore;
    },
    private readonly now: () => number,
  ) {
    super();
  }

  async apply(account: string, policy: RetentionPolicy): Promise<RetentionResult> {
    const { personalDataMs, dedupeForMs } = policy;
    const isOld = ({ receivedAt }: { receivedAt: Date }): boolean =>
      this.now() - receivedAt.getTime() > personalDataMs;
    const deliveries = this.deliveries.deleteFinished(account, isOld, policy.limit);
    const limit = policy.limit * 2 - deliveries;
    const { redacted, deleted } = this.applyToOperations(account, { ...policy, limit });
    this.transactions.applyRetention(account, this.now(), policy);
    this.events.applyRetention(account, policy);
    this.counts.anomalies.deleteOld(account, personalDataMs);
    this.counts.totals.deleteOld(account, this.now() - dedupeForMs);
    this.counts.pauses.deleteOld(account, dedupeForMs);
    return { redacted: redacted + deliveries, deleted };
  }

  async oldestPersonal(account: string): Promise<Date | null> {
    const times = this.personal(account).map(({ at }) => at.getTime());
    return times.length > 0 ? new Date(Math.min(...times)) : null;
  }

  async refundsOf(account: string, person: PersonIn): Promise<string[]> {
    const money = this.moneyOf(account, person);
    return this.refunds(account)
      .filter((refund) =>
        money.some(
          ({ paymentId, reference }) =>
            reference === refund.reference &&
            (paymentId === null || refund.paymentId === null || paymentId === refund.paymentId),
        ),
      )
      .flatMap(({ id, platformId }) => (platformId === null ? [id] : [id, platformId]));
  }

  async ownOf(account: string, person: PersonIn): Promise<string[]> {
    return this.operationsOf(account)
      .filter((record) => mentions(person, record.createdAt, record))
      .filter((record) => !(isPayout(record) && hasOtherRecipients(record.recipients, person)))
      .flatMap(({ id, platformId }) => (platformId === null ? [id] : [id, platformId]));
  }

  async findOf(account: string, person: PersonIn): Promise<PersonalRecord[]> {
    const ids = idsOf(person);
    const ofIds = new Set(
      this.events
        .unfinished(account)
        .flatMap(({ event }) => (ids.includes(event.stream) ? event.id : [])),
    );
    return this.personal(account).filter(({ kind, id, at, data }) => {
      if (kind === 'delivery') return deliveryMentions(person, at, (data as { body: string }).body);
      const hasId = kind === 'operation' ? ids.includes(id) : ofIds.has(id);
      return (hasId && isWithin(at, person.from, person.to)) || mentions(person, at, data);
    });
  }

  async redactOf(account: string, person: PersonIn): Promise<number> {
    const found = (await this.findOf(account, person)).map(({ id }) => id);
    const count = this.redactRows(account, person);
    this.counts.anomalies.deleteExamples(
      account,
      (example) => found.includes(example.example) || mentionsCustomer(person, example),
    );
    return count;
  }

  private redactRows(account: string, person: PersonIn): number {
    const ofDeliveries = this.redactDeliveries(account, person);
    const events = this.events.redactDead(
      account,
      (event, at) =>
        (isWithin(at, person.from, person.to) && idsOf(person).includes(event.stream)) ||
        mentions(person, at, event.payload),
      (payload) =>
        isShared(payload, person)
          ? (withoutCustomer(payload, person) as NewEvent['payload'])
          : null,
    );
    const ofOperations = this.redactOperations(account, person);
    const refunds = this.refunds(account).filter(({ id }) => person.refunds.includes(id));
    const transactions = this.transactions.applyRetention(
      account,
      this.now(),
      OF_A_PERSON,
      (record) =>
        mentions(person, record.createdAt, record) &&
        !refunds.some(({ reference }) => reference === record.reference),
    );
    return ofDeliveries + events + ofOperations + transactions;
  }

  private redactDeliveries(account: string, person: PersonIn): number {
    const changed = this.deliveries.changeBodies(account, ({ receivedAt, body }) =>
      deliveryMentions(person, receivedAt, body.toString())
        ? bodyWithoutCustomer(body, { ...person, ids: idsOf(person) })
        : null,
    );
    const deleted = this.deliveries.deleteFinished(account, ({ receivedAt, body }) =>
      deliveryMentions(person, receivedAt, body.toString()),
    );
    return changed + deleted;
  }

  /** Redacts refunds first, because a payment waits for its refunds. */
  private redactOperations(account: string, person: PersonIn): number {
    const isReady = (record: OperationRecord): boolean =>
      mentions(person, record.createdAt, record) &&
      !this.hasRefund(account, person, record) &&
      !(idsOf(person).includes(record.id) && this.hasOpenWork(account, record));
    const redact = (isChosen: (record: OperationRecord) => boolean): number =>
      this.applyToOperations(account, OF_A_PERSON, isChosen).redacted;
    return (
      this.redactRecipients(account, person) +
      redact(
        (record) =>
          isWithin(record.createdAt, person.from, person.to) &&
          person.refunds.includes(record.id) &&
          !this.hasOpenWork(account, record),
      ) +
      redact(isReady)
    );
  }

  /** Redacts a person in finished payouts that go to others, too. Returns in how many. */
  private redactRecipients(account: string, person: PersonIn): number {
    const isOfPerson = (value: unknown): boolean => mentionsCustomer(person, value);
    let count = 0;
    for (const row of this.operations.rows(account).values()) {
      const { record } = row;
      if (!isPayout(record) || !isFinal(record.state) || !this.mayBeRedacted(row)) continue;
      if (!mentions(person, record.createdAt, record)) continue;
      if (!hasOtherRecipients(record.recipients, person)) continue;
      guardNoPerson(row);
      // Texts of the platform do not say whose they are.
      const texts = { errors: [], causeDetail: null };
      const redacted = { version: record.version + 1, redacted: true };
      row.record = { ...record, ...withoutRecipient(record, isOfPerson), ...texts, ...redacted };
      row.history = row.history.filter(({ detail }) => !isOfPerson(detail));
      count += 1;
    }
    return count;
  }

  /** Redacts and deletes old finished operations. One for which money may still move is redacted later. */
  private applyToOperations(
    account: string,
    { personalDataMs, dedupeForMs, limit }: RetentionPolicy,
    isChosen: (record: OperationRecord) => boolean = () => true,
  ): RetentionResult {
    const rows = this.operations.rows(account);
    let redacted = 0;
    let deleted = 0;
    for (const row of rows.values()) {
      if (redacted + deleted >= limit) break;
      const { record } = row;
      if (!isFinal(record.state) || !isChosen(record)) continue;
      const age = this.now() - record.updatedAt.getTime();
      if (age >= dedupeForMs) {
        rows.delete(record.id);
        deleted += 1;
      } else if (age >= personalDataMs && this.mayBeRedacted(row)) {
        redactOperation(row);
        redacted += 1;
      }
    }
    return { redacted, deleted };
  }

  /** True when nothing needs its personal data any more: no money can move for it, and an equal payout may be made. */
  private mayBeRedacted({ record, isRedacted }: OperationRow): boolean {
    const neededForMs = Math.max(
      mayStillMove(record) ? MATCHED_FOR_MS : 0,
      isPayout(record) ? PAID_AGAIN_AFTER_MS : 0,
    );
    return !isRedacted && this.now() - record.updatedAt.getTime() >= neededForMs;
  }

  /** True while an event of the operation is unfinished, or a pending delivery names it: only the operation says whose they are. */
  private hasOpenWork(account: string, { id, platformId }: OperationRecord): boolean {
    return (
      this.events.unfinished(account).some(({ event }) => event.stream === id) ||
      this.deliveries
        .all(account)
        .some(
          ({ state, body }) =>
            state === 'pending' &&
            mentionsOneOf(platformId === null ? [id] : [id, platformId], body.toString()),
        )
    );
  }

  private hasRefund(account: string, person: PersonIn, record: OperationRecord): boolean {
    return this.refunds(account).some(
      ({ id, paymentId, reference }) =>
        person.refunds.includes(id) &&
        (paymentId === record.id || reference === record.transaction?.reference),
    );
  }

  /** Returns the operations that are not redacted. */
  private operationsOf(account: string): OperationRecord[] {
    const rows = [...this.operations.rows(account).values()];
    return rows.filter(({ isRedacted }) => !isRedacted).map((row) => this.operations.read(row));
  }

  /** Returns the refunds that are not redacted. */
  private refunds(account: string): RefundRecord[] {
    return this.operationsOf(account).filter(isRefund);
  }

  /** Returns money that a person paid: of payments of ours, and at the till. */
  private moneyOf(
    account: string,
    person: PersonIn,
  ): { paymentId: string | null; reference: string }[] {
    return [
      ...this.operationsOf(account)
        .filter((record) => mentions(person, record.createdAt, record))
        .flatMap(({ id, transaction }) =>
          transaction?.reference == null
            ? []
            : [{ paymentId: id, reference: transaction.reference }],
        ),
      ...this.transactions
        .all(account)
        .filter(({ createdAt, sums }) => mentions(person, createdAt, sums))
        .map(({ reference }) => ({ paymentId: null, reference })),
    ];
  }

  /** Returns the rows that are not redacted. */
  private personal(account: string): PersonalRecord[] {
    return [
      ...this.operationsOf(account).map(
        (data) => ({ kind: 'operation', id: data.id, at: data.createdAt, data }) as const,
      ),
      ...this.transactions.all(account).map(({ reference, createdAt, sums }) => {
        return { kind: 'transaction', id: reference, at: createdAt, data: sums } as const;
      }),
      ...this.deliveries.all(account).map(({ id, receivedAt, body }) => {
        return { kind: 'delivery', id, at: receivedAt, data: { body: body.toString() } } as const;
      }),
      ...this.events.unfinished(account).map(({ event: { id, name, payload }, at }) => {
        return { kind: 'event', id, at, data: { name, payload } } as const;
      }),
      ...this.counts.bareRequests.all(account).flatMap(({ id, at, money }) => {
        return money ? [{ kind: 'bare_request', id, at, data: { money } } as const] : [];
      }),
    ];
  }
}

/** True when a row mentions a person, and its time lies in the span that is asked for. */
function mentions(person: PersonIn, at: Date, row: unknown): boolean {
  return isWithin(at, person.from, person.to) && mentionsCustomer(person, row);
}

/** True when a delivery of the span names a person, or mentions an operation of the person. */
function deliveryMentions(person: PersonIn, at: Date, body: string): boolean {
  return (
    isWithin(at, person.from, person.to) &&
    (mentionsCustomer(person, body) || mentionsOneOf(idsOf(person), body))
  );
}

/** True when money may still move for an operation: it failed after it was sent, or failed in part. */
function mayStillMove({ state, sentAt, reason }: OperationRecord): boolean {
  const hasFailed = state === 'failed' || state === 'partially_succeeded';
  return hasFailed && sentAt !== null && reason !== 'rejected' && reason !== 'not_sent';
}

function redactOperation(row: OperationRow): void {
  const { record } = row;
  guardNoPerson(row);
  row.isRedacted = true;
  row.record = {
    ...record,
    ...formOf(record).withoutPersons,
    version: record.version + 1,
    redacted: true,
    transaction: record.transaction && withoutPerson(record.transaction),
    errors: [],
    causeDetail: null,
    outcome: withoutErrors(record.outcome),
    approvedBy: null,
  } as OperationRecord;
  row.history = [];
}

/** Returns an outcome without the texts of the platform, which may name persons. */
function withoutErrors(outcome: unknown): unknown {
  return Array.isArray(outcome)
    ? outcome.map((part: object) => ({ ...part, errors: [] }))
    : outcome;
}
