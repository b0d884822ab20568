import type { Ledger } from '../ledger/ledger.js';
import { decisionNote, type Resolution } from '../ledger/resolution.js';
import type { WatchedOperations } from '../ledger/watched-operations.js';
import {
  PaymentsError,
  PaymentsValidationError,
  StoreUnavailableError,
} from '../payments.errors.js';
import { decideAfterRead } from '../send/operations.service.js';
import type { OperationRecord } from './operation-forms.js';
import type { OperationsStore } from '../store/operations.store.js';
import type { ReviewCause } from '../store/operation.js';
import { Concealed } from '../runtime/validate-input.js';
import type { CurrentSettings } from '../accounts/payments.settings.js';
import { fromMinorUnits, sumInMinorUnits, type Amount } from '../money/money.js';
import type { PayoutRecord } from './payouts/payout.js';
import { payoutResolutionChange } from './payouts/payout-decision.js';
import type { RefundRecord } from './refunds/refund.js';
import { refundResolutionChange } from './refunds/refund.kind.js';

const PAGE = 200;

/** Decisions at the same time: each reads the platform first, at the pace of the account. */
const AT_ONCE = 5;

/** Selects reviews. @publicApi */
export interface ReviewSelection {
  /** Selects the reviews of one cause. */
  cause?: ReviewCause;
  /** Selects the reviews of operations that were recorded before this time. */
  before?: Date;
  /** Selects the reviews of operations of one kind. */
  kind?: 'payment' | 'payout' | 'refund' | 'payment_link';
}

/** The reviews of one kind, cause and currency. @publicApi */
export interface WaitingReviews {
  readonly kind: NonNullable<ReviewSelection['kind']>;
  readonly cause: ReviewCause;
  readonly count: number;
  /** The sum of what was asked for or sent. */
  readonly sum: Amount;
  /** The time at which the oldest of these operations was recorded. */
  readonly since: Date;
}

/** A person's decision on many reviews. @publicApi */
export interface ReviewsDecision extends Pick<Resolution, 'by' | 'note'> {
  /** The number of reviews that the person saw. When another number waits now, nothing is decided. */
  count: number;
  /** `failed`: no money moved. `succeeded`: it did; a review whose money nobody knows is refused, because it needs a reference. */
  state: 'succeeded' | 'failed';
}

/** The result of a decision on many reviews. @publicApi */
export interface DecidedReviews {
  /** Ids of the operations that were decided. */
  readonly decided: readonly string[];
  /** The operations that were not decided, which are as they were. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

/**
 * The operations that wait for a person's decision: in review, or paid while evidence contradicts that.
 * @example
 * const [outage] = await reviews.waiting({ cause: 'no_evidence', before: yesterday });
 * await reviews.resolve(
 *   { cause: 'no_evidence', before: yesterday },
 *   { state: 'failed', count: outage.count, by: 'jane@shop.example', note: 'not on the statement' },
 * );
 * @see docs/promises.md#states
 * @publicApi
 */
@Concealed()
export class ReviewsService {
  /** @internal */
  constructor(
    private readonly operations: OperationsStore<OperationRecord>,
    private readonly ledger: Ledger<OperationRecord>,
    private readonly watched: WatchedOperations<OperationRecord>,
    private readonly settings: CurrentSettings,
  ) {}

  /** Counts the reviews that wait, with their sums and the time of the oldest, by kind, cause and currency; the most first. */
  waiting(selection: ReviewSelection = {}): Promise<WaitingReviews[]> {
    return waitingReviews(this.operations, this.settings.current.account, selection);
  }

  /**
   * Decides each of these reviews, as `resolve()` of its service would: each is read from the platform first, and what the platform says wins. One that was
   * settled meanwhile, that could not be read, or that the decision contradicts, is refused and named; the others are decided.
   * @throws PaymentsValidationError when `by` or `note` is missing, or another number waits than `count`
   */
  async resolve(selection: ReviewSelection, decision: ReviewsDecision): Promise<DecidedReviews> {
    decisionNote('', decision);
    const { account } = this.settings.current;
    const operations = await selected(this.operations, account, selection);
    if (operations.length !== decision.count)
      throw new PaymentsValidationError([
        {
          field: 'count',
          problem: `must be the number of reviews that wait: ${operations.length} do now. Look at them again`,
        },
      ]);
    const decided: string[] = [];
    const refused: { id: string; why: string }[] = [];
    const waiting = operations.values();
    const decideNext = async (): Promise<void> => {
      for (const operation of waiting) {
        try {
          await this.decide(operation, decision);
          decided.push(operation.id);
        } catch (error) {
          if (!(error instanceof PaymentsError) || error instanceof StoreUnavailableError)
            throw error;
          refused.push({ id: operation.id, why: error.message });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, decideNext));
    return { decided, refused };
  }

  private decide(operation: OperationRecord, decision: ReviewsDecision): Promise<OperationRecord> {
    const { watched } = this;
    const { sendBeforeMs } = this.settings.current.sending;
    const apply = (read: OperationRecord): Promise<OperationRecord> => this.apply(read, decision);
    return decideAfterRead(operation, { decided: decision.state, apply, watched, sendBeforeMs });
  }

  private apply(operation: OperationRecord, decision: ReviewsDecision): Promise<OperationRecord> {
    switch (operation.kind) {
      case 'payout':
        return this.ledger.change(operation, (payout) =>
          payoutResolutionChange(payout as PayoutRecord, decision),
        );
      case 'refund':
        return this.ledger.change(operation, (refund) =>
          refundResolutionChange(refund as RefundRecord, decision),
        );
      default:
        return this.ledger.resolve(operation, decision);
    }
  }
}

/** Counts the reviews that wait for a person's decision, by kind, cause and currency; the most first. */
export async function waitingReviews(
  operations: OperationsStore<OperationRecord>,
  account: string,
  selection: ReviewSelection,
): Promise<WaitingReviews[]> {
  const groups = new Map<string, [OperationRecord, ...OperationRecord[]]>();
  for (const operation of await selected(operations, account, selection)) {
    const key = [operation.kind, operation.cause, operation.amount.currency].join(' ');
    const group = groups.get(key);
    if (group) group.push(operation);
    else groups.set(key, [operation]);
  }
  return [...groups.values()].map(groupOf).toSorted((one, other) => other.count - one.count);
}

/** Reads all selected reviews, newest first. A review that is decided leaves the list. */
async function selected(
  operations: OperationsStore<OperationRecord>,
  account: string,
  { cause, before, kind }: ReviewSelection,
): Promise<OperationRecord[]> {
  const filter = {
    inReview: true,
    ...(kind && { kind }),
    ...(cause && { causes: [cause] }),
    ...(before && { to: before }),
  } as const;
  const found: OperationRecord[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { items, next } = await operations.list(account, filter, {
      limit: PAGE,
      ...(after && { after }),
    });
    found.push(...items);
    after = next;
  }
  return found;
}

function groupOf(operations: readonly [OperationRecord, ...OperationRecord[]]): WaitingReviews {
  const [{ kind, cause, amount }] = operations;
  const { currency } = amount;
  const sum = sumInMinorUnits(
    operations.map((operation) => ({ amount: operation.amount.value })),
    currency,
  );
  return {
    kind: kind as WaitingReviews['kind'],
    cause: cause as ReviewCause,
    count: operations.length,
    sum: { currency, value: fromMinorUnits(sum ?? 0n, currency) },
    since: (operations.at(-1) as OperationRecord).createdAt,
  };
}
