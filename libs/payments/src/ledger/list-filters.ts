import type { FailureReason } from '../money/known-failures.js';
import { PaymentsValidationError, type FieldProblem } from '../payments.errors.js';
import type { DeliveryFilter, DeliveryState } from '../store/deliveries.store.js';
import { REVIEW_CAUSES, type Via } from '../store/operation.js';
import type { OperationFilter } from '../store/operations.store.js';
import { TRANSITIONS } from './operation-states.js';

const DELIVERY_STATES = valuesOf<DeliveryState>({ pending: 1, done: 1, unrecognised: 1 });

const OPERATION_STATES = Object.keys(TRANSITIONS);

const REASONS = valuesOf<FailureReason>({
  cancelled: 1,
  timeout: 1,
  insufficient_funds: 1,
  wrong_pin: 1,
  limit: 1,
  busy: 1,
  rejected: 1,
  not_sent: 1,
  declined: 1,
  expired: 1,
  unknown: 1,
});

const SOURCES = valuesOf<Via>({
  request: 1,
  callback: 1,
  webhook: 1,
  status: 1,
  sweep: 1,
  review: 1,
});

/**
 * Refuses a filter with a word that no delivery can have. Stores call this.
 * @throws PaymentsValidationError that names the field and its values
 */
export function checkDeliveryFilter({ state }: DeliveryFilter): void {
  check([['state', state === undefined ? undefined : [state], DELIVERY_STATES]]);
}

/**
 * Refuses a filter with a word that no operation can have. Stores call this.
 * @throws PaymentsValidationError that names the fields and their values
 */
export function checkOperationFilter({ states, causes, reasons, sources }: OperationFilter): void {
  check([
    ['states', states, OPERATION_STATES],
    ['causes', causes, REVIEW_CAUSES],
    ['reasons', reasons, REASONS],
    ['sources', sources, SOURCES],
  ]);
}

type Wanted = [
  field: string,
  words: readonly string[] | null | undefined,
  values: readonly string[],
];

function check(wanted: readonly Wanted[]): void {
  const problems = wanted.flatMap(([field, words, values]): FieldProblem[] => {
    const isWrong = (words ?? []).some((word) => !values.includes(word));
    return isWrong ? [{ field, problem: `must be one of ${values.join(', ')}` }] : [];
  });
  if (problems.length > 0) throw new PaymentsValidationError(problems);
}

/** Returns all values of a type: the compiler finds one that is missing. */
function valuesOf<T extends string>(values: Readonly<Record<T, 1>>): readonly string[] {
  return Object.keys(values);
}
