/** An event that a listener has not heard is kept for it, without who paid, this long after the last attempt. */
export const UNHEARD_REDACTED_AFTER_MS = 30 * 86_400_000;

/** What stands for the words of a listener, which may name a person. */
export const REDACTED_ERROR = 'removed with who paid';

/** What names or shows a person, or may, wherever in a payload it stands. */
const PERSONAL: Readonly<Record<string, unknown>> = {
  subscriber: { firstName: '', lastName: '', phoneNumber: '' },
  senderFirstName: null,
  senderMiddleName: null,
  senderLastName: null,
  senderPhoneNumber: null,
  hashedSenderPhone: null,
  metadata: null,
  errors: [],
  causeDetail: null,
  message: null,
  raw: {},
};

/** A payload without the person: ids, states, amounts and references stay. */
export function withoutPersons<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(withoutPersons) as T;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    Object.hasOwn(PERSONAL, name) ? PERSONAL[name] : (withoutPersons(inner) as unknown),
  ]);
  return Object.fromEntries(entries) as T;
}
