import type { PaidTransaction, Transaction } from '../money/transaction.js';
import type { OperationChange } from './operation-changes.js';
import type { ReviewCause } from '../store/review-cause.js';
import type { FailureReason } from '../money/known-failures.js';

/** What evidence says about an operation that a till receives money for. It does not depend on the operation's state. */
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

/** What an assessment does to an operation in its present state. */
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
      /** What the evidence adds to the outcome. */
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

/** What `decide` needs beside the operation and the evidence. */
export interface DecisionContext {
  /** Id of the owner that the transaction of the evidence already belongs to; null when there is none. */
  tiedTo: string | null;
  /** What its till has reported of it, with an amount that can be read; null for nothing. */
  received: Transaction | null;
  /** The report that it was reversed; null for none. */
  reversal: Transaction | null;
  /** A number of another till at which the same reference was reported, which nothing joins to this one; null for none. */
  otherTill: string | null;
  /** Owners of the transfers of the evidence that belong to other operations, by reference. */
  transfersOfOthers: ReadonlyMap<string, string>;
  /** Whether the evidence is a status read: only a read confirms that there is no transaction. */
  isRead: boolean;
  /** Whether it is a read that no callback has caused: only that confirms that money did not leave. */
  isOwnRead: boolean;
  /** When it was asked for or came, in epoch milliseconds by the platform's clock; null while that is not known. */
  at: number | null;
  /** The reason that the platform's texts give. */
  reasonOf: (errors: readonly string[]) => FailureReason;
}
