import { OperationNotResolvableError } from '../operation.errors.js';
import { PaymentsValidationError } from '../payments.errors.js';
import {
  movementOf,
  type NamedTransaction,
  type PaidTransaction,
  referenceOnly,
  type Transaction,
  type TransactionRecord,
  type TransactionSum,
} from '../money/transaction.js';
import {
  joinedFor,
  moneyKey,
  ownerAmong,
  sumsAt,
  wentBack,
} from '../money/transaction-sameness.js';
import type { TransactionsStore } from '../store/transactions.store.js';
import type { TillAliases } from '../money/till-number.js';
import { proofDigest } from './assessment.js';
import { fail, reverse, succeed, type OperationChange } from './operation-changes.js';
import { isInReview, isOpen, mayChange } from './operation-states.js';
import type { Operation, OperationState } from '../store/operation.js';

/** For this long the platform may still say by itself what became of an operation. Then a person may decide. */
const DECIDED_AFTER_MS = 15 * 60_000;

/**
 * Refuses a decision on an operation whose platform may still say what became of it.
 * @param forMs milliseconds since it was sent
 * @throws OperationNotResolvableError
 */
export function assertRipe(operation: Operation, forMs: number): void {
  const { state } = operation;
  if (state !== 'requested' && forMs >= DECIDED_AFTER_MS) return;
  const minutes = Math.floor(forMs / 60_000);
  const why = `it is ${state}, and was sent ${minutes} min ago: the platform may still say what became of it. It can be decided 15 min after sending`;
  throw notResolvable(operation, why);
}

/**
 * Refuses a decision where nothing waits for one. Reviews wait, operations without an outcome, and the open review of one that was paid.
 * @throws OperationNotResolvableError
 */
export function assertOpen(operation: Operation, decided: OperationState): void {
  const { state } = operation;
  if (!isInReview(operation) && !isOpen(state))
    throw notResolvable(operation, `it is ${state}, and no decision is open`);
  if (state !== 'needs_review' && state !== decided && !mayChange(state, decided))
    throw notResolvable(operation, `it is ${state}, which does not become ${decided}`);
}

/** True when a person names the transaction that the operation has. */
function isOwn({ transaction }: Operation, typed: string): boolean {
  return transaction?.reference?.toUpperCase() === typed.trim().toUpperCase();
}

/** Closes the open review of an operation that was paid: it is as it was. */
export function closed(
  operation: Operation,
  decision: { by: string; note: string; reference?: string },
): OperationChange {
  const own = operation.transaction?.reference;
  if (decision.reference !== undefined && !isOwn(operation, decision.reference))
    throw notResolvable(operation, `it was paid by transaction ${own}`);
  return {
    via: 'review',
    set: { cause: null, causeDetail: null, decided: true },
    note: decisionNote(`review closed as ${operation.state}`, decision),
  };
}

/**
 * A person's decision on an operation in review, or without an outcome.
 * @example
 * await payments.resolve(id, { state: 'succeeded', by: 'jane@shop.example', note: 'seen in the portal', reference: 'TAB1C2D3E4' });
 * @see docs/promises.md#states
 * @publicApi
 */
export interface Resolution {
  /**
   * `succeeded`: you received the money. `failed`: you did not, or you returned it by other means; in an `ambiguous` review the
   * transaction then stays for the other payments. `reversed`: the money came and went back, and the platform has reported
   * the reversal.
   */
  state: 'succeeded' | 'failed' | 'reversed';
  /** Name of the person who decided, for the history. */
  by: string;
  /** Reason of the decision, for the history. */
  note: string;
  /** Reference of the transaction that paid. `succeeded` needs it when the operation has no transaction yet. */
  reference?: string;
}

/**
 * A person writes this into the history of an operation.
 * @example
 * await refunds.note(id, { by: 'jane@shop.example', note: 'the customer was called' });
 * @publicApi
 */
export interface OperationNote {
  /** Name of the person. */
  by: string;
  /** The text, at most 500 characters. */
  note: string;
}

/** The longest note of a person. */
const LONGEST_NOTE = 500;

/** The transaction that a decision is based on, and the record under its reference. */
interface ReviewedMoney {
  transaction: Transaction;
  /** The reference that the person named, or that the operation's own transaction has. */
  reference: string;
  record: TransactionRecord | null;
}

/**
 * Returns the change of a person's decision.
 * @throws OperationNotResolvableError when no decision on the operation is open, or the decision contradicts what is known
 */
export async function resolutionChange(
  operation: Operation,
  resolution: Resolution,
  transactions: TransactionsStore,
  aliases: TillAliases,
): Promise<OperationChange> {
  const { state, reason, errors } = operation;
  assertOpen(operation, resolution.state);
  if (state === resolution.state) return closed(operation, resolution);
  const money = await reviewedMoney(operation, resolution, transactions, aliases);
  if (!money && isProven(operation))
    throw notResolvable(
      operation,
      `the platform shows transaction ${operation.transaction?.reference}, and has never said that it failed: say so, with state: 'succeeded'`,
    );
  const change = !money
    ? fail(operation, 'review', reason ?? 'unknown', errors)
    : resolution.state === 'reversed'
      ? reverse(operation, 'review', named(money))
      : succeed('review', paid(operation, money));
  return {
    ...change,
    set: { ...change.set, decided: true },
    note: decisionNote(`resolved as ${resolution.state}`, resolution),
    ...(money && { tie: money.transaction, record: money.record }),
  };
}

/** True when the platform has shown complete proof of the money, and only a person said that it failed. */
function isProven({ cause, decided, deniedAt, transaction, evidence }: Operation): boolean {
  if (cause !== 'paid_after_failure' || !decided || deniedAt !== null || !transaction) return false;
  return evidence.includes(proofDigest(transaction));
}

/**
 * Returns the line of a person's decision in the history.
 * @throws PaymentsValidationError when the decision names nobody, or no reason
 */
export function decisionNote(what: string, decision: { by: string; note: string }): string {
  const { note } = decision;
  if (!isText(note))
    throw new PaymentsValidationError([
      { field: 'note', problem: 'must be the reason of the decision' },
    ]);
  return `${what} by ${personOf(decision)}: ${note.trim()}`;
}

/**
 * Returns the line of a person's note in the history.
 * @throws PaymentsValidationError when it names nobody, or has no text or a long one
 */
export function noteLine(given: OperationNote): string {
  const { note } = given;
  if (isText(note) && note.trim().length <= LONGEST_NOTE)
    return `${personOf(given)}: ${note.trim()}`;
  const problem = `must be a text of 1 to ${LONGEST_NOTE} characters`;
  throw new PaymentsValidationError([{ field: 'note', problem }]);
}

/** @throws PaymentsValidationError when a decision names nobody */
export function personOf(decision: { by: string } | undefined): string {
  const by = decision?.by;
  if (isText(by)) return by.trim();
  const problem = 'must be the name of the person who decides';
  throw new PaymentsValidationError([{ field: 'by', problem }]);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/**
 * Returns the transaction that a decision is based on: the operation's own, the one that the till received under the reference, or, if the platform
 * never reported it, one with only the reference and the requested amount. The decision ties it to the operation. Null for `failed`, which needs
 * none.
 */
async function reviewedMoney(
  operation: Operation,
  { state, reference }: Resolution,
  transactions: TransactionsStore,
  aliases: TillAliases,
): Promise<ReviewedMoney | null> {
  if (state === 'failed') return null;
  const refused = (why: string): OperationNotResolvableError => notResolvable(operation, why);
  const own = operation.transaction;
  const typed = reference?.trim() || own?.reference;
  if (!typed) throw refused('give the reference of the transaction that paid it');
  const record = await transactions.findTyped(operation.account, typed);
  const wanted = record?.reference ?? (isOwn(operation, typed) ? (own?.reference ?? typed) : typed);
  const till = own?.reference === wanted ? moneyKey(own)?.till : undefined;
  const numbers = till ? joinedFor(operation, till) : operation.tills;
  const atOwnTill = sumsAt(record, numbers, aliases);
  const reported = record?.sums.find(isReported);
  // A person who names a reference means its transaction at any till.
  const elsewhere = atOwnTill.length > 0 ? reported : (reported ?? record?.sums[0]);
  const sums = elsewhere && !atOwnTill.some(isReported) ? [elsewhere] : atOwnTill;
  const other = ownerAmong([...atOwnTill, ...sums], operation.id);
  if (other) throw refused(`transaction ${wanted} belongs to ${other}`);
  const reversal = sums.find((sum) => sum.reversal)?.reversal ?? null;
  if (state === 'reversed') {
    if (reversal) return { transaction: reversal, reference: wanted, record };
    throw refused(
      `the platform has reported no reversal of transaction ${wanted}; resolve it as succeeded, and the reversal will follow`,
    );
  }
  // The own result may show only the reversal: then the money is what was asked for.
  const isShown = own?.reference === wanted && movementOf(own.status) !== 'reversed';
  const asked = referenceOnly(operation.amount, operation.tills[0] ?? null, wanted);
  const received = sums.find((sum) => sum.received)?.received ?? (isShown ? own : asked);
  // When another amount went back, a person says whether that is all of it.
  if (reversal && wentBack(reversal, received) === 'all')
    throw refused(`transaction ${wanted} was reversed: resolve it as reversed, or as failed`);
  return { transaction: received, reference: wanted, record };
}

function isReported({ received, reversal }: TransactionSum): boolean {
  return received !== null || reversal !== null;
}

/** @internal */
export function notResolvable(
  { kind, id }: Pick<Operation, 'kind' | 'id'>,
  why: string,
): OperationNotResolvableError {
  return new OperationNotResolvableError(kind.replace('_', ' '), id, why);
}

function named({ transaction, reference }: ReviewedMoney): NamedTransaction {
  return { ...transaction, reference: transaction.reference ?? reference };
}

/** The person confirmed the payment as it was requested, if the platform shows no readable amount. */
function paid({ amount }: Operation, money: ReviewedMoney): PaidTransaction {
  const transaction = named(money);
  return {
    ...transaction,
    amount: transaction.amount ?? amount.value,
    currency: transaction.currency ?? amount.currency,
  };
}
