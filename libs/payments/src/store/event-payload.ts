/** Date fields of a payload. A store that keeps JSON returns them as text. */
const DATES = ['createdAt', 'updatedAt'] as const;

/** The payload for a listener: its dates are `Date` objects, and it is frozen. */
export function revivePayload(payload: unknown): unknown {
  const copy = payload as { payment?: Record<string, unknown> };
  for (const field of copy.payment ? DATES : []) {
    (copy.payment as Record<string, unknown>)[field] = new Date(copy.payment?.[field] as string);
  }
  return deepFreeze(copy);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
