const MAX_LENGTH = 255;

/** Why a value is no idempotency key; null when it is one. */
export function idempotencyKeyProblem(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH
    ? null
    : `must be a text of 1 to ${MAX_LENGTH} characters, such as the order number`;
}
