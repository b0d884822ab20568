import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { digest } from '../money/json.js';
import type { FailureReason } from '../money/known-failures.js';
import { plainNumber, type TillAliases } from '../money/till-number.js';
import type { TotalChange } from '../money/total.js';
import type { Transaction } from '../money/transaction.js';
import type { Permit } from '../platform/background-requests.js';
import type { CallbackResource } from '../platform/callback-urls.js';
import type { WithResult } from '../platform/resource-table.js';
import type { CreateOutcome, Sending } from '../platform/sending.js';
import type { ResourceEnvelope } from '../platform/wire-value.js';
import type { EventSubject, NewEvent } from '../store/new-event.js';
import type {
  GuardKey,
  NewOperation,
  Operation,
  OperationFacts,
  OperationState,
  ReviewCause,
  Via,
} from '../store/operation.js';
import type { RefusedByGuard } from '../store/operations.store.js';
import type { UntiedQuery } from '../store/transactions.store.js';
import type { Decision, DecisionContext } from './assessment.js';
import type { OperationChange, Review } from './operation-changes.js';
import { GUARDED_STATES, PAID_STATES } from './operation-states.js';
import { NOTHING_PAID, operationTotals, type PaidOut } from './operation-totals.js';

/** The resource of an operation as a callback or a read shows it. */
export interface ShownResource<Content = unknown> {
  /** The platform's id of the resource. */
  platformId: string;
  /** The callback URL that the resource repeats, with its MAC sealed. */
  callbackUrl: string | null;
  /** The till transaction that it shows; null when it shows none. */
  transaction: Transaction | null;
  /** The kind assesses this content. */
  content: Content;
}

/**
 * Returns a resource of the platform as the ledger takes it. The kind assesses the resource itself.
 * @param transaction the till transaction that it shows; null for a kind of resources that show none
 */
export function shownAs<Content extends Pick<WithResult, 'id' | 'links'>>(
  resource: Content,
  transaction: Transaction | null,
): ShownResource<Content> {
  const { id, links } = resource;
  return { platformId: id, callbackUrl: links.callbackUrl, transaction, content: resource };
}

/** Says how long an operation may stay open before a person must look at it. */
export interface ReviewTime {
  afterMs: number;
  /** Text for the person. */
  detail: string;
}

/** Holds what differs between the kinds of operations. The ledger does the rest. Only `send` and `read` do I/O. */
export abstract class OperationKind<
  O extends Operation = Operation,
  Content = unknown,
  Assessed = unknown,
> {
  /** The `kind` of its operations. */
  abstract readonly name: string;
  /** The kind in a text: `payment link`. */
  abstract readonly noun: string;
  /** Name of its resource in our callback URLs. */
  abstract readonly callbackResource: CallbackResource;
  /** The values of `data.type` of its resource. */
  abstract readonly wireTypes: readonly string[];
  /** True when it is read as soon as the platform has it, because the answer to the create does not show all that the host needs. */
  readonly isReadAtOnce: boolean = false;

  /** Sends the create, once. */
  abstract send(operation: O, callbackUrl: string, sending: Sending): Promise<CreateOutcome>;

  /** Reads the resource from the platform. */
  abstract read(
    account: string,
    platformId: string,
    permit: Permit,
  ): Promise<ShownResource<Content>>;

  /** Reads the resource from a callback. */
  abstract show(envelope: ResourceEnvelope): ShownResource<Content>;

  /** Says what evidence means for an operation, whatever its state is. */
  abstract assess(operation: O, content: Content, aliases: TillAliases): Assessed;

  /** Decides what an assessment does in the present state. The order of evidence does not change the final state. */
  abstract decide(operation: O, assessment: Assessed, context: DecisionContext): Decision;

  /** Returns a digest of what evidence says, see `evidenceDigest`; null when it says nothing that a person could judge. */
  abstract digestOf(assessment: Assessed): string | null;

  /** Returns the event that asks a person to decide. */
  protected abstract reviewEvent(subject: EventSubject, after: O, cause: ReviewCause): NewEvent;

  /** Returns the event of the state that an operation enters; null when the state emits none. */
  protected abstract stateEvent(
    subject: EventSubject,
    after: O,
    change: OperationChange,
  ): NewEvent | null;

  /** Returns the subject of a review, which a person must judge. Each contradiction and each transaction is a subject of its own. */
  protected subjectOf({ cause, reference, otherPart }: Review): string {
    return [cause, reference, otherPart].filter((each) => each != null).join(' ');
  }

  /**
   * Returns the outcome of an operation that has settled, beside its state: the reference of its transaction. One that failed has no money, also
   * if a person has seen some that is not its. Two outcomes of one state are two events.
   */
  protected outcomeOf({ state, transaction }: O): string {
    return state === 'failed' ? '' : (transaction?.reference ?? '');
  }

  /** Returns the events that a change emits: of its review, or of the state that it enters. */
  events(before: O, after: O, change: OperationChange): NewEvent[] {
    const { via, review } = change;
    const subject = { account: before.account, stream: before.id, via };
    if (review) {
      // A review that opens again after a decision is a new fact, by the evidence that opened it.
      const again = before.decided ? ` ${review.evidence ?? review.detail}` : '';
      const distinction = this.subjectOf(review) + again;
      return [this.reviewEvent({ ...subject, distinction }, after, review.cause)];
    }
    if (after.state === before.state) return [];
    const distinction = this.outcomeOf(after);
    const event = this.stateEvent({ ...subject, distinction }, after, change);
    return event ? [event] : [];
  }

  /** Returns references of the transfers that a resource shows as made. */
  transfersIn(_content: Content): readonly string[] {
    return [];
  }

  /** Returns money that looks like that of an operation; null when nobody can know. */
  moneyLike(_operation: O): UntiedQuery | null {
    return null;
  }

  /** Returns the `phoneHash` of the person who may pay an operation; null when it expects no money, or anybody may pay it. */
  payerHash(_operation: O): string | null {
    return null;
  }

  /** True when a read that says this proves that no earlier transaction belongs to the operation. */
  denies(_assessment: Assessed): boolean {
    return false;
  }

  /** Returns lines for the history of the operation that an assessment causes. */
  notesOf(_assessment: Assessed): readonly string[] {
    return [];
  }

  /** Returns the reversal of a transaction that evidence about this operation proves; null when there is none. */
  reversalIn(_operation: O, _shown: ShownResource<Content>): Transaction | null {
    return null;
  }

  /** Returns what a change adds to the kept totals. */
  totals(before: O, after: O, via: Via): readonly TotalChange[] {
    const paidOut = { before: this.paidOut(before), after: this.paidOut(after) };
    return operationTotals(before, after, via, paidOut, this.tillOf(after));
  }

  /** Returns the number of the till at which an operation counts; null when it has none. */
  protected tillOf({ tills }: O): string | null {
    return tills[0] ?? null;
  }

  /** Returns what an operation has sent to its destinations so far. */
  protected paidOut(_operation: O): PaidOut {
    return NOTHING_PAID;
  }

  reviewTime(_operation: O, { reconciliation }: PaymentsSettings): ReviewTime {
    const afterMs = reconciliation.reviewAfterMs;
    const hours = (afterMs / 3_600_000).toFixed(1);
    return { afterMs, detail: `the platform gave no outcome in ${hours} h` };
  }
}

export class OperationKinds {
  private readonly byName: ReadonlyMap<string, AnyKind>;
  private readonly byWireType: ReadonlyMap<string, AnyKind>;

  constructor(kinds: readonly AnyKind[]) {
    this.byName = new Map(kinds.map((kind) => [kind.name, kind]));
    this.byWireType = new Map(kinds.flatMap((kind) => kind.wireTypes.map((type) => [type, kind])));
  }

  /** @throws Error when this version does not have the kind */
  kind<O extends Operation>({ kind, id }: Pick<O, 'kind' | 'id'>): OperationKind<O> {
    const found = this.byName.get(kind);
    if (!found)
      throw new Error(`operation ${id} is of the kind "${kind}", which this version lacks`);
    return found as OperationKind<O>;
  }

  /** Returns the kind whose resource has this `data.type`. */
  ofWireType(type: string): OperationKind | undefined {
    return this.byWireType.get(type) as OperationKind | undefined;
  }
}

/** A kind of any operations: only operations of its own kind are given to it. */
type AnyKind = Pick<OperationKind, 'name' | 'wireTypes' | 'callbackResource'>;

/** Returns the facts that the public forms of all kinds have in common. Their objects are frozen, so that no listener can change them for another. */
export function commonFacts<State extends OperationState, Reason = FailureReason>(
  record: Operation & Pick<OperationFacts<State>, 'metadata'>,
): OperationFacts<State, Reason> {
  return {
    id: record.id,
    account: record.account,
    state: record.state as State,
    idempotencyKey: record.idempotencyKey,
    platformId: record.platformId,
    amount: Object.freeze({ ...record.amount }),
    metadata: record.metadata && Object.freeze({ ...record.metadata }),
    reason: record.reason as Reason | null,
    errors: Object.freeze([...record.errors]),
    cause: record.cause,
    causeDetail: record.causeDetail,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

/** A guard that an operation which was paid never leaves: longer than anything is kept. */
export const FOR_EVER_MS = 100 * 365 * 24 * 60 * 60_000;

/** Returns a key of a guard: 128 bits, in hex, from which nobody reads what it is of, but who knows that can compute it. */
export function guardKey(...parts: readonly unknown[]): string {
  return digest(32, ...parts);
}

/** An order is paid once, whoever pays it, how, and by which kind of operation. */
export function orderGuard(order: string | null): GuardKey[] {
  return order === null ? [] : [{ key: guardKey('order', order), paidForMs: FOR_EVER_MS }];
}

/** True when a key is kept after retention has redacted its operation. It is of money or of an order, not of a person. */
export function isLasting({ paidForMs = 0 }: GuardKey): boolean {
  return paidForMs >= FOR_EVER_MS;
}

/** An operation that has keys in common with a new one, or that the new one names. */
interface GuardHolder extends Pick<Operation, 'id' | 'state' | 'tills' | 'unchangedMs'> {
  readonly keys: readonly string[];
}

/**
 * Returns what refuses an operation; null when nothing does. An operation without an outcome refuses all others that have a key in common
 * and do not name it. A paid operation refuses those that name it, and for a time, or for ever, those that have a key in common.
 * `refusal_of` of the PostgreSQL store says the same; one contract of stores has every case.
 */
export function refusalOf(
  { guard, tills, besides }: Pick<NewOperation, 'guard' | 'tills' | 'besides'>,
  holders: readonly GuardHolder[],
): { kind: RefusedByGuard['kind']; ids: readonly string[] } | null {
  const shared = (holder: GuardHolder): readonly GuardKey[] =>
    (guard?.keys ?? []).filter(
      ({ key, atTill }) =>
        holder.keys.includes(key) && (!atTill || haveTillInCommon(tills, holder)),
    );
  const isPaid = (holder: GuardHolder): boolean =>
    PAID_STATES.includes(holder.state) &&
    (besides.includes(holder.id) ||
      shared(holder).some(({ paidForMs = 0 }) => holder.unchangedMs < paidForMs));
  const isInFlight = (holder: GuardHolder): boolean =>
    GUARDED_STATES.includes(holder.state) &&
    !besides.includes(holder.id) &&
    shared(holder).length > 0;
  for (const [kind, refuses] of [
    ['already_paid', isPaid],
    ['in_flight', isInFlight],
  ] as const) {
    const ids = holders.filter(refuses).map(({ id }) => id);
    if (ids.length > 0) return { kind, ids };
  }
  return null;
}

function haveTillInCommon(own: readonly string[], { tills }: GuardHolder): boolean {
  const numbers = new Set(tills.map(plainNumber));
  return own.length === 0 || own.some((till) => numbers.has(plainNumber(till)));
}
