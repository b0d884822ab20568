/** Fields of a payload that are dates; a store that keeps JSON gives them back as text. */
const DATES = ['createdAt', 'updatedAt'] as const;

/** A payload as listeners get it: its dates are dates again, and nothing in it can be changed under the next listener. */
export function revivePayload(payload: unknown): unknown {
  const copy = structuredClone(payload) as { payment?: Record<string, unknown> };
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
