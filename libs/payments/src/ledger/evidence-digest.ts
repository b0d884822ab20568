import { movementOf, type Transaction } from '../money/transaction.js';
import { minorOf } from '../money/transaction-reports.js';
import { nameOf } from '../money/transaction-sameness.js';
import { digest } from '../money/digest.js';
import type { Assessment } from './assessment.js';

/** Most digests that an operation keeps. What a platform says of one operation has few forms. */
const MOST_KEPT = 20;

/** By what evidence is recognised when it comes again, from any source: 64 bits of a hash of what it says. */
export function evidenceDigest(...says: readonly unknown[]): string {
  return digest(16, ...says);
}

/** What an assessment says of received money: reference, status, amount, till and errors. Null when it says nothing that a person could judge. */
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

/** What a list shows of a transaction. That it is the money of one operation, only the operation's own result says. */
export function listedDigest(transaction: Transaction): string {
  return evidenceDigest('listed', ...factsOf(transaction));
}

/** What complete proof with a transaction says. */
export function proofDigest(transaction: Transaction): string {
  return evidenceDigest('succeeded', ...factsOf(transaction));
}

function factsOf(transaction: Transaction): readonly unknown[] {
  const { status, currency } = transaction;
  return [nameOf(transaction), movementOf(status), currency, minorOf(transaction)];
}

/** The digests with a new one; the oldest go first. */
export function withDigest(digests: readonly string[], added: string): readonly string[] {
  return [...digests, added].slice(-MOST_KEPT);
}
