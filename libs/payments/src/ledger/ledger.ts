import { Injectable } from '@nestjs/common';
import { AnomaliesStore, ANOMALY, anomalyKind } from '../store/anomalies.store.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import { ownerIdOf, type TransactionRecord, type TransactionSum } from '../money/transaction.js';
import { type Decision, listedDigest, withDigest } from './assessment.js';
import { tieChange, unownedAmong } from './transaction-changes.js';
import {
  isAtOneOf,
  joinedFor,
  minorOf,
  moneyKey,
  sumOf,
  sumsAt,
} from '../money/transaction-sameness.js';
import { isSameTill } from '../money/till-number.js';
import { linkActiveSpan } from '../runtime/telemetry/spans.js';
import { ATTRIBUTE } from '../runtime/telemetry/metrics-list.js';
import { TransactionDifferences } from './transaction-differences.js';
import { TransactionsStore } from '../store/transactions.store.js';
import type { LedgerChange } from '../store/ledger.store.js';
import type { ArrivingDelivery } from './arriving-delivery.js';
import { LedgerCommits } from './ledger-commits.js';
import { changeOf } from './decisions.js';
import {
  fieldsOf,
  ledgerChange,
  type OperationChange,
  withoutPersonsIn,
} from './operation-changes.js';
import type { Operation, OperationKey, Via } from '../store/operation.js';
import { OperationKinds, type ShownResource } from './operation.kind.js';
import { isOpen, mayChange, mayOwnMoney } from './operation-states.js';
import { OperationsStore } from '../store/operations.store.js';
import { failureReason } from '../money/known-failures.js';
import { resolutionChange, type Resolution } from './resolution.js';

/** Limit of repeats after a conflict with another change. More repeats show a bug, not a race. */
export const MAX_ATTEMPTS = 50;

/** A callback, a status read or a sweep says this about an operation. A sweep shows no id. */
export interface Evidence extends Pick<ShownResource, 'transaction' | 'content'> {
  via: 'callback' | 'status' | 'sweep';
  platformId: ShownResource['platformId'] | null;
  /** The time at which the read started, by the platform's clock. A read can deny only transactions from before that time. */
  askedAt: Date;
  /** True when the platform's clock was known then. */
  isDated?: boolean;
  /** True when a callback has caused the read. */
  isOfCallback?: boolean;
}

/** Decides on an operation. The ledger calls it again, with the number of the attempt, when another change was faster. */
type Decide<O extends Operation> = (
  operation: O,
  attempt: number,
) => OperationChange | null | Promise<OperationChange | null>;

const NOTHING_NEW = { kind: 'keep', anomaly: null } as const;

const NOBODY: ReadonlyMap<string, string> = new Map();

/**
 * The only place where evidence becomes a change of state and an event, from every source: callback, webhook, status read,
 * sweep, answer to the create, decision of a person. Each change is a compare-and-set, committed together with its events.
 */
@Injectable()
export class Ledger<O extends Operation = Operation> {
  constructor(
    private readonly operations: OperationsStore<O>,
    private readonly transactions: TransactionsStore,
    private readonly commits: LedgerCommits,
    private readonly anomalies: AnomaliesStore,
    private readonly kinds: OperationKinds,
    private readonly differences: TransactionDifferences,
    private readonly accounts: AccountRegistry,
  ) {}

  async find({ account, id }: OperationKey): Promise<O> {
    const operation = await this.operations.find(account, id);
    if (!operation) throw new Error(`the store has no operation ${id}`);
    return operation;
  }

  /**
   * Applies evidence. Resolves with the operation after it.
   * @param arriving the delivery that has the evidence, if it is not stored yet: then `operation` is as this process knows it
   */
  async apply(operation: O, evidence: Evidence, arriving?: ArrivingDelivery): Promise<O> {
    const { account } = operation;
    const { transaction } = evidence;
    // Such a delivery is deleted when it was processed.
    if (arriving && operation.redacted) return operation;
    const money = transaction && moneyKey(transaction);
    const decide: Decide<O> = async (current, attempt) => {
      const record = money && (await this.recordOf(account, money.reference, arriving));
      const others = await this.transfersOfOthers(current, evidence.content);
      const { change, anomaly, isComparable } = this.decideOn(current, evidence, record, others);
      const compared = isComparable && attempt === 0 ? money : null;
      const differ =
        compared && transaction && this.differences.found(account, record, compared, transaction);
      // Only its one commit may write.
      if (arriving && (anomaly !== null || (differ && differ.length > 0))) return null;
      if (compared && differ) await this.differences.record(account, compared, differ);
      if (anomaly) await this.anomalies.record(account, kept(current, anomaly), operation.id);
      if (change?.set.state !== 'failed') return change;
      return { ...change, unownedReferences: await this.unownedReferences(current) };
    };
    if (!arriving) return this.change(operation, decide);
    const change = await decide(operation, 0);
    if (!change) return operation;
    const prepared = this.prepare(operation, change);
    // The commit must compare the record of a transaction on which the change was decided.
    if (transaction !== null && !prepared.change.transaction) return operation;
    const committed = await arriving.commit(prepared.change, prepared.after);
    return committed ? prepared.after(committed.at) : operation;
  }

  private recordOf(
    account: string,
    reference: string,
    arriving?: ArrivingDelivery,
  ): Promise<TransactionRecord | null> {
    return arriving?.transaction(reference) ?? this.transactions.find(account, reference);
  }

  /** Returns the owners of the transfers that a resource shows for an operation and that belong to others, by reference. */
  async transfersOfOthers(operation: O, content: unknown): Promise<ReadonlyMap<string, string>> {
    const references = this.kinds.kind(operation).transfersIn(content);
    if (references.length === 0) return NOBODY;
    const owners = await this.operations.transferOwners(operation.account, references);
    return new Map([...owners].filter(([, id]) => id !== operation.id));
  }

  /** Returns money of the same payer, till and amount that nobody owns: the customer may have paid in another way. */
  private async unownedReferences(operation: O): Promise<readonly string[]> {
    const query = this.kinds.kind(operation).moneyLike(operation);
    if (!query) return [];
    const { tillAliases } = this.accounts.settings(operation.account);
    const records = await this.transactions.findUntied(operation.account, query);
    const isAtTill = (till: string): boolean => isSameTill(till, operation.tills, tillAliases);
    return unownedAmong(records, query, isAtTill).map(({ reference }) => reference);
  }

  /**
   * Decides what evidence changes in an operation and its transaction, as they were read or are known. `anomaly` says what is wrong with the
   * evidence although it changes nothing; `isComparable`, that its transaction can be compared with earlier reports.
   */
  private decideOn(
    operation: O,
    {
      via,
      platformId,
      transaction,
      askedAt,
      isDated = false,
      isOfCallback = false,
      content,
    }: Evidence,
    record: TransactionRecord | null,
    transfersOfOthers: ReadonlyMap<string, string>,
  ): { change: OperationChange | null; anomaly: string | null; isComparable: boolean } {
    // The operation was found by its callback URL. Another process may have stored its platform id since.
    if (platformId !== null && (operation.platformId ?? platformId) !== platformId)
      return { change: null, anomaly: ANOMALY.evidenceWithAnotherId, isComparable: false };
    const { tillAliases, knownFailures } = this.accounts.settings(operation.account);
    const money = transaction && moneyKey(transaction);
    const numbers = money ? joinedFor(operation, money.till) : [];
    const sums = sumsAt(record, numbers, tillAliases);
    const tiedTo = sums.map(ownerIdOf).find((owner) => owner !== null) ?? null;
    const kind = this.kinds.kind(operation);
    const assessment = kind.assess(withTillsOf(operation, sums), content, tillAliases);
    // Matching is only for operations without a platform id and transactions without an owner.
    if (via === 'sweep' && (operation.platformId !== null || tiedTo !== null))
      return { change: null, anomaly: null, isComparable: false };
    const isListed = via === 'sweep' && transaction !== null;
    const digest = isListed ? listedDigest(transaction) : kind.digestOf(assessment);
    // A person has already decided about this evidence.
    const isJudged = operation.decided && digest !== null && operation.evidence.includes(digest);
    const decision = isJudged
      ? NOTHING_NEW
      : kind.decide(operation, assessment, {
          tiedTo,
          received:
            sums.map(({ received }) => received).find((each) => each && minorOf(each)) ?? null,
          reversal: sums.map(({ reversal }) => reversal).find((each) => each !== null) ?? null,
          otherTill: record?.sums.find((sum) => !sums.includes(sum))?.tills[0] ?? null,
          transfersOfOthers,
          isRead: via === 'status',
          isOwnRead: via === 'status' && !isOfCallback,
          at: isDated ? askedAt.getTime() : null,
          reasonOf: (errors) => failureReason(errors, knownFailures),
        });
    const decided = {
      anomaly: decision.kind === 'keep' ? decision.anomaly : null,
      isComparable: true,
    };
    const change = withEvidence(operation, this.changeOf(operation, via, decision), via, digest);
    const transfers = kind
      .transfersIn(content)
      .filter((reference) => !transfersOfOthers.has(reference));
    // A read that denies the operation proves that transactions from before it do not belong to it.
    const denied = via === 'status' && kind.denies(assessment) && mayOwnMoney(operation);
    const learnt = platformId !== null && operation.platformId === null ? { platformId } : null;
    if (!change && !learnt && !denied) return { ...decided, change: null };
    // A platform id proves that the platform has the operation.
    const isWithPlatform = learnt !== null && !change?.set.state && isOpen(operation.state);
    const notes = kind.notesOf(assessment).join('; ');
    return {
      ...decided,
      change: {
        via,
        // The operation can be read from now on. No read was due while it was in review without an id.
        ...(learnt && mayOwnMoney(operation) && { dueInMs: this.firstReadMs(operation) }),
        ...change,
        set: {
          ...change?.set,
          ...learnt,
          ...(isWithPlatform && { state: 'pending' as const }),
          ...(denied && { deniedAt: askedAt }),
        },
        note: change?.note ?? notes,
        record,
        ...(change?.set.outcome !== undefined && transfers.length > 0 && { transfers }),
      },
    };
  }

  /**
   * Sends an open operation to review: there is no evidence in time, or several transactions or operations fit.
   * @param shown digests of what a person sees there: it says nothing new after the decision
   */
  async review(
    key: OperationKey,
    cause: 'no_evidence' | 'ambiguous',
    detail: string,
    shown: readonly string[] = [],
  ): Promise<O> {
    const via = cause === 'ambiguous' ? 'sweep' : 'status';
    const decision = { kind: 'review', cause, detail, transaction: null, reference: null } as const;
    return this.change(key, (operation) => {
      const change = isOpen(operation.state) ? this.changeOf(operation, via, decision) : null;
      const evidence = shown.reduce(withDigest, operation.evidence);
      return change && { ...change, set: { ...change.set, evidence } };
    });
  }

  /**
   * Applies a person's decision. Its event has `via: 'review'`.
   * @throws OperationNotResolvableError when no decision is open, or the decision contradicts what is known
   */
  async resolve(key: OperationKey, resolution: Resolution): Promise<O> {
    const { tillAliases } = this.accounts.settings(key.account);
    return this.change(key, (operation) =>
      resolutionChange(operation, resolution, this.transactions, tillAliases),
    );
  }

  /**
   * Decides on an operation and commits the change. Repeats both while another change is faster.
   * @param read the operation as it was last read; the ledger reads it again only after a conflict
   */
  async change(key: OperationKey, decide: Decide<O>, read?: O): Promise<O> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const operation = attempt === 0 && read ? read : await this.find(key);
      const change = await decide(operation, attempt);
      if (!change) return operation;
      const changed = await this.commit(operation, change);
      if (changed) return changed;
    }
    throw new Error(
      `operation ${key.id} changed during each of ${MAX_ATTEMPTS} attempts to change it`,
    );
  }

  /** Commits a change. Resolves with the operation after it, or with null when another change was faster. */
  async commit(operation: O, change: OperationChange): Promise<O | null> {
    const prepared = this.prepare(operation, change);
    const committed = await this.commits.commit(prepared.change, prepared.after);
    return committed && prepared.after(committed.at);
  }

  private prepare(
    operation: O,
    decided: OperationChange,
  ): { change: LedgerChange; after: (at: Date) => O } {
    const change = operation.redacted ? withoutPersonsIn(decided) : decided;
    const { state } = change.set;
    linkActiveSpan(operation.traceparent, {
      [ATTRIBUTE.operationId]: operation.id,
      [ATTRIBUTE.operationKind]: operation.kind,
      ...(state && { [ATTRIBUTE.operationState]: state }),
    });
    if (state && state !== operation.state && !mayChange(operation.state, state)) {
      throw new Error(`operation ${operation.id} cannot go from ${operation.state} to ${state}`);
    }
    const { tillAliases } = this.accounts.settings(operation.account);
    const { tie, record = null } = change;
    const key = tie && moneyKey(tie);
    const tied = tie && key && tieChange(operation, tie, key, record, tillAliases);
    const after: O = { ...operation, ...fieldsOf(operation, change) };
    const kind = this.kinds.kind(operation);
    const sum = key && sumOf(record, key, tillAliases);
    const announcedBefore = sum ? sum.announced && ownerIdOf(sum) === null : false;
    const events = kind.events(operation, after, { ...change, announcedBefore });
    const totals = kind.totals(operation, after, change.via);
    const { sendWithinMs = operation.sendWithinMs } = change;
    const { version } = operation;
    return {
      change: ledgerChange(operation, change, events, totals, tied || undefined),
      after: (updatedAt) => ({
        ...after,
        version: version + 1,
        updatedAt,
        unchangedMs: 0,
        sendWithinMs,
      }),
    };
  }

  private changeOf(operation: O, via: Via, decision: Decision): OperationChange | null {
    return changeOf(operation, via, decision, this.firstReadMs(operation));
  }

  private firstReadMs({ account }: O): number {
    return this.accounts.settings(account).reconciliation.scheduleMs[0] as number;
  }
}

/** Returns an anomaly as it is kept: of a redacted operation without a text of the platform, which may name the person. */
function kept({ redacted }: Operation, anomaly: string): string {
  return redacted && anomalyKind(anomaly) === 'unknownStatus' ? ANOMALY.afterRedaction : anomaly;
}

/** Notes what the platform said while a person must decide, so that the decision stands until it says something else. */
function withEvidence(
  { state, evidence }: Operation,
  change: OperationChange | null,
  via: Via,
  digest: string | null,
): OperationChange | null {
  const isForPerson = (change?.set.state ?? state) === 'needs_review' || change?.review;
  if (digest === null || !isForPerson || evidence.includes(digest)) return change;
  const set = { ...change?.set, evidence: withDigest(evidence, digest) };
  return {
    via,
    ...change,
    set,
    ...(change?.review && { review: { ...change.review, evidence: digest } }),
  };
}

/** Adds the till numbers of its sums to an operation: numbers that were one till when a sum was observed stay one till for it. */
function withTillsOf<O extends Operation>(operation: O, sums: readonly TransactionSum[]): O {
  const joined = sums
    .filter((sum) => isAtOneOf(sum, operation.tills))
    .flatMap(({ tills }) => tills);
  return { ...operation, tills: [...operation.tills, ...joined] };
}
