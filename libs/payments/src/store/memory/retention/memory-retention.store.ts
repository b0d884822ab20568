import {
  idsOf,
  RetentionStore,
  type PersonalRecord,
  type PersonIn,
  type RetentionPolicy,
  type RetentionResult,
} from '../../retention.store.js';
import {
  bodyWithoutCustomer,
  hasOtherRecipients,
  isShared,
  mentionsCustomer,
  mentionsOneOf,
  withoutCustomer,
} from '../../shared-rows.js';
import type { NewEvent } from '../../new-event.js';
import type { OperationRecord } from '../../operation-forms.js';
import { isPayout } from '../../../operations/payouts/payout.js';
import { isRefund, type RefundRecord } from '../../../operations/refunds/refund.js';
import { isWithin } from '../memory.page.js';
import { MATCHED_FOR_MS } from '../../../work/backoff.js';
import type { MemoryAnomaliesStore } from '../anomalies/memory-anomalies.store.js';
import type { MemoryBareRequestsStore } from '../bare-requests/memory-bare-requests.store.js';
import type { MemoryDeliveriesStore } from '../deliveries/memory-deliveries.store.js';
import type { MemoryEventsStore } from '../events/memory-events.store.js';
import type { MemoryOperationsStore } from '../operations/memory-operations.store.js';
import type { MemoryTotals } from '../totals/memory-totals.store.js';
import type { MemoryPausesStore } from '../pauses/memory-pauses.store.js';
import { deliveryMentions, mentions } from './memory-person.js';
import type { MemoryTransactionsStore } from '../transactions/memory-transactions.store.js';

/** What is finished of a person is redacted at once, unless money may still move. */
const OF_A_PERSON = {
  personalDataMs: 0,
  dedupeForMs: Number.POSITIVE_INFINITY,
  matchedForMs: MATCHED_FOR_MS,
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
    const { personalDataMs, dedupeForMs, limit } = policy;
    const deliveries = this.deliveries.of(account).deleteOld(personalDataMs, limit);
    const limits = { personalDataMs, dedupeForMs, matchedForMs: MATCHED_FOR_MS };
    const { redacted, deleted } = this.operations
      .of(account)
      .applyRetention({ ...limits, limit: limit * 2 - deliveries });
    this.transactions.applyRetention(account, this.now(), limits);
    this.events.of(account).applyRetention({ personalDataMs, dedupeForMs });
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
    return this.operations
      .of(account)
      .personal()
      .filter((record) => mentions(person, record.createdAt, record))
      .filter((record) => !(isPayout(record) && hasOtherRecipients(record.recipients, person)))
      .flatMap(({ id, platformId }) => (platformId === null ? [id] : [id, platformId]));
  }

  async findOf(account: string, person: PersonIn): Promise<PersonalRecord[]> {
    const ids = idsOf(person);
    const events = this.events.of(account);
    const ofIds = new Set(
      events.unfinished().flatMap(({ event }) => (ids.includes(event.stream) ? event.id : [])),
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
    const events = this.events.of(account).redactDead(
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
    const deliveries = this.deliveries.of(account);
    const changed = deliveries.changeBodies(({ receivedAt, body }) =>
      deliveryMentions(person, receivedAt, body.toString())
        ? bodyWithoutCustomer(body, { ...person, ids: idsOf(person) })
        : null,
    );
    const deleted = deliveries.deleteChosen(({ receivedAt, body }) =>
      deliveryMentions(person, receivedAt, body.toString()),
    );
    return changed + deleted;
  }

  /** Refunds first, because a payment waits for its refunds. */
  private redactOperations(account: string, person: PersonIn): number {
    const operations = this.operations.of(account);
    const isReady = (record: OperationRecord): boolean =>
      mentions(person, record.createdAt, record) &&
      !this.hasRefund(account, person, record) &&
      !(idsOf(person).includes(record.id) && this.isHeard(account, record));
    const redact = (isChosen: (record: OperationRecord) => boolean): number =>
      operations.applyRetention({ ...OF_A_PERSON, limit: Number.POSITIVE_INFINITY, isChosen })
        .redacted;
    return (
      operations.redactRecipients({
        matchedForMs: MATCHED_FOR_MS,
        isShared: (record) =>
          mentions(person, record.createdAt, record) &&
          hasOtherRecipients(record.recipients, person),
        isChosen: (value) => mentionsCustomer(person, value),
      }) +
      redact(
        (record) =>
          isWithin(record.createdAt, person.from, person.to) &&
          person.refunds.includes(record.id) &&
          !this.isHeard(account, record),
      ) +
      redact(isReady)
    );
  }

  /** Whether something of an operation is not redacted: nothing but the operation says whose it is. */
  private isHeard(account: string, { id, platformId }: OperationRecord): boolean {
    return (
      this.events
        .of(account)
        .unfinished()
        .some(({ event }) => event.stream === id) ||
      this.deliveries
        .of(account)
        .all()
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

  /** Refunds that are not redacted. */
  private refunds(account: string): RefundRecord[] {
    return this.operations.of(account).personal().filter(isRefund);
  }

  /** Money that a person paid: of payments of ours, and at the till. */
  private moneyOf(
    account: string,
    person: PersonIn,
  ): { paymentId: string | null; reference: string }[] {
    return [
      ...this.operations
        .of(account)
        .personal()
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

  /** What is not redacted. */
  private personal(account: string): PersonalRecord[] {
    return [
      ...this.operations
        .of(account)
        .personal()
        .map((data) => ({ kind: 'operation', id: data.id, at: data.createdAt, data }) as const),
      ...this.transactions.all(account).map(({ reference, createdAt, sums }) => {
        return { kind: 'transaction', id: reference, at: createdAt, data: sums } as const;
      }),
      ...this.deliveries
        .of(account)
        .all()
        .map(({ id, receivedAt, body }) => {
          return { kind: 'delivery', id, at: receivedAt, data: { body: body.toString() } } as const;
        }),
      ...this.events
        .of(account)
        .unfinished()
        .map(({ event: { id, name, payload }, at }) => {
          return { kind: 'event', id, at, data: { name, payload } } as const;
        }),
      ...this.counts.bareRequests.all(account).flatMap(({ id, at, money }) => {
        return money ? [{ kind: 'bare_request', id, at, data: { money } } as const] : [];
      }),
    ];
  }
}
