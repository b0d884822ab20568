import { digest } from '../money/json.js';
import type { FailureReason } from '../money/known-failures.js';
import { minorOf, nameOf } from '../money/transaction-sameness.js';
import { movementOf, type PaidTransaction, type Transaction } from '../money/transaction.js';
import type { ReviewCause } from '../store/operation.js';
import type { OperationChange } from './operation-changes.js';

/** Evidence says this about an operation that a till receives money for. It does not depend on the operation's state. */
export type Assessment =
  /** Full proof that the money moved. */
  | { kind: 'succeeded'; transaction: PaidTransaction; notes: readonly string[] }
  /** The platform says that the money did not move. Its reason is in the texts if it is null. */
  | { kind: 'failed'; reason: FailureReason | null; errors: readonly string[] }
  /** `Success` without a transaction: this is no proof. */
  | { kind: 'no_transaction' }
  /** The evidence contradicts itself or the request. */
  | { kind: 'contradiction'; cause: ReviewCause; detail: string; transaction: Transaction | null }
  /** The status is not final. `unknownStatus` is set when we do not know the status. */
  | { kind: 'open'; unknownStatus: string | null };

/** An assessment does this to an operation in its present state. */
export type Decision =
  | { kind: 'succeed'; transaction: PaidTransaction }
  | { kind: 'fail'; reason: FailureReason; errors: readonly string[] }
  /** Sends the operation to review. `transaction` is stored if the evidence showed one; `reference` names its subject. */
  | {
      kind: 'review';
      cause: ReviewCause;
      detail: string;
      transaction: Transaction | null;
      reference: string | null;
    }
  /** The state stays, and a `needs_review` event is emitted: another transaction or another contradiction for the operation. */
  | {
      kind: 'contradict';
      cause: ReviewCause;
      detail: string;
      reference: string | null;
      /** Tied to this operation, for which the platform showed it, so that no other operation is matched with it. */
      transaction: Transaction | null;
      /** The evidence adds this to the outcome. */
      outcome?: unknown;
    }
  /** The first `Success` without a transaction: the operation is read again soon. */
  | { kind: 'read_again' }
  /** Nothing final, but the platform has the operation: it becomes `pending`. */
  | { kind: 'accept' }
  /** A change that only the kind can describe. */
  | { kind: 'change'; change: Omit<OperationChange, 'via'> }
  /** Nothing changes. */
  | { kind: 'keep'; anomaly: string | null };

/** `decide` needs this beside the operation and the evidence. */
export interface DecisionContext {
  /** Id of the owner that the transaction of the evidence already belongs to; null when there is none. */
  tiedTo: string | null;
  /** The transaction that the till has reported of it, with an amount that can be read; null when the till has reported none. */
  received: Transaction | null;
  /** The report that it was reversed; null for none. */
  reversal: Transaction | null;
  /** A number of another till at which the same reference was reported, which nothing joins to this one; null for none. */
  otherTill: string | null;
  /** Owners of the transfers of the evidence that belong to other operations, by reference. */
  transfersOfOthers: ReadonlyMap<string, string>;
  /** True when the evidence is a status read. Only a read confirms that there is no transaction. */
  isRead: boolean;
  /** True when it is a read that no callback has caused. Only such a read confirms that money did not leave. */
  isOwnRead: boolean;
  /** The time at which it was asked for or came, in epoch milliseconds by the platform's clock; null while that is not known. */
  at: number | null;
  /** Returns the reason that the platform's texts give. */
  reasonOf: (errors: readonly string[]) => FailureReason;
}

/** Most digests that an operation keeps. What a platform says of one operation has few forms. */
const MOST_KEPT = 20;

/** Returns the name by which evidence is recognised when another source repeats it: 64 bits of a hash of what it says. */
export function evidenceDigest(...says: readonly unknown[]): string {
  return digest(16, ...says);
}

/**
 * Writes what an assessment says of received money: reference, status, amount, till and errors. Null when it says nothing that a person
 * could judge.
 */
export function receivedDigest(assessment: Assessment): string | null {
  switch (assessment.kind) {
    case 'succeeded':
      return proofDigest(assessment.transaction);
    case 'contradiction': {
      const { cause, detail, transaction } = assessment;
      // The detail has the errors. Elsewhere it repeats amounts as the platform wrote them, and that differs.
      const errors = cause === 'success_with_errors' ? detail : null;
      // One till may be shown by several numbers. Only a till that is another one says something.
      const till = cause === 'till_mismatch' ? transaction?.tillNumber?.trim() : null;
      return evidenceDigest(cause, errors, till, ...(transaction ? factsOf(transaction) : []));
    }
    case 'no_transaction':
      return evidenceDigest('no_transaction');
    case 'failed':
    case 'open':
      return null;
  }
}

/** Writes what a list shows of a transaction. Only the operation's own result says that it is the money of one operation. */
export function listedDigest(transaction: Transaction): string {
  return evidenceDigest('listed', ...factsOf(transaction));
}

/** Writes what complete proof with a transaction says. */
export function proofDigest(transaction: Transaction): string {
  return evidenceDigest('succeeded', ...factsOf(transaction));
}

function factsOf(transaction: Transaction): readonly unknown[] {
  const { status, currency } = transaction;
  return [nameOf(transaction), movementOf(status), currency, minorOf(transaction)];
}

/** Returns the digests with a new one; the oldest go first. */
export function withDigest(digests: readonly string[], added: string): readonly string[] {
  return [...digests, added].slice(-MOST_KEPT);
}
