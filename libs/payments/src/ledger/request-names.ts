const MAX_LENGTH = 255;

/** Most operations that one request passes. */
const MOST_BESIDES = 20;

/** Says why a value is no idempotency key; null when it is one. */
export function idempotencyKeyProblem(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH
    ? null
    : `must be a text of 1 to ${MAX_LENGTH} characters, such as the order number`;
}

/** Says why a value names no order; null when it does. */
export function orderProblem(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH
    ? null
    : `must be a text of 1 to ${MAX_LENGTH} characters: what is owed, such as the order number, never an attempt`;
}

/** Says why a value names no operations; null when it does. */
export function besidesProblem(value: unknown): string | null {
  const isList =
    Array.isArray(value) &&
    value.length <= MOST_BESIDES &&
    value.every((id) => typeof id === 'string' && id.trim() !== '');
  return isList
    ? null
    : `must be a list of at most ${MOST_BESIDES} ids: of the operations that the error named as being in the way`;
}
