import { maskPhones } from '../money/phone-mask.js';
import { spellingsOf, type Customer } from './retention.store.js';

/** Fields of a part that say which part it is and what became of it, but not whose it is. */
const KEPT: ReadonlySet<string> = new Set([
  'id',
  'eventId',
  'account',
  'idempotencyKey',
  'platformId',
  'kind',
  'via',
  'occurredAt',
  'createdAt',
  'updatedAt',
  'type',
  'amount',
  'currency',
  'state',
  'status',
  'transactionReference',
  'transaction_reference',
]);

/** Fields of an operation and its events that have one person each. */
const PARTIES: ReadonlySet<string> = new Set(['subscriber', 'transaction']);

/** Fields of a transaction that are about nobody. */
const OF_NOBODY: ReadonlySet<string> = new Set([
  'reference',
  'amount',
  'currency',
  'status',
  'originationTime',
]);

/** True when a value mentions a customer: by the digits of the phone number, by their hash, or by an id of theirs. */
export function mentionsCustomer(customer: Customer, value: unknown): boolean {
  const { hash, ids = [] } = customer;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const isNamed = spellingsOf(customer).some((spelling) => text.includes(spelling));
  if (isNamed || text.toLowerCase().includes(hash)) return true;
  return mentionsOneOf(ids, typeof value === 'string' ? JSON.stringify(value) : text);
}

/** True when JSON has one of several ids: as a whole text, or as a segment of a path. */
export function mentionsOneOf(ids: readonly string[], json: string): boolean {
  return ids.some((id) => {
    for (let at = json.indexOf(id); at >= 0; at = json.indexOf(id, at + 1))
      if (/["/]/.test(json.charAt(at - 1)) && /["/?]/.test(json.charAt(at + id.length)))
        return true;
    return false;
  });
}

/** Returns the JSON of a body; undefined when it is none. The platform may begin it with a byte order mark. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** True when a payout goes to somebody else, too. */
export function hasOtherRecipients(recipients: unknown, customer: Customer): boolean {
  return Array.isArray(recipients) && recipients.some((part) => isOther(part, customer));
}

/** Returns a row without the other party: the person who was asked for a payment, when another person has paid it, and the reverse. */
export function withoutOtherParty(row: unknown, customer: Customer): unknown {
  if (typeof row !== 'object' || row === null || row instanceof Date) return row;
  if (Array.isArray(row)) return row.map((part: unknown) => withoutOtherParty(part, customer));
  return Object.fromEntries(
    Object.entries(row).map(([name, inner]: [string, unknown]) => [
      name,
      PARTIES.has(name) && isOther(inner, customer) && hasPhone(JSON.stringify(inner))
        ? Object.fromEntries(
            Object.entries(inner as object).filter(([field]) => OF_NOBODY.has(field)),
          )
        : withoutOtherParty(inner, customer),
    ]),
  );
}

/**
 * True when a row is about several persons, such as a payout with several destinations: it has a list in which some parts mention the
 * customer and others do not.
 */
export function isShared(row: unknown, customer: Customer): boolean {
  if (typeof row !== 'object' || row === null || !mentionsCustomer(customer, row)) return false;
  if (Array.isArray(row) && row.some((part) => isOther(part, customer))) return true;
  return Object.values(row).some((inner) => isShared(inner, customer));
}

/** Returns the parts of such a row that mention the customer. The rest is about others: it is not for this customer. */
export function partsOf(row: unknown, customer: Customer): unknown[] {
  if (!mentionsCustomer(customer, row)) return [];
  if (typeof row !== 'object' || row === null) return [row];
  if (Array.isArray(row))
    return row.flatMap((part: unknown) =>
      isShared(part, customer) ? partsOf(part, customer) : ofCustomer(part, customer),
    );
  return Object.entries(row).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner === 'object' || !mentionsCustomer(customer, { [name]: inner })
      ? partsOf(inner, customer)
      : [{ [name]: inner }],
  );
}

/** Returns a row about several persons without the data of the customer. What it says of others stays. */
export function withoutCustomer(row: unknown, customer: Customer): unknown {
  if (!mentionsCustomer(customer, row)) return row;
  if (typeof row !== 'object' || row === null) return null;
  if (Array.isArray(row))
    return row.map((part: unknown) =>
      isShared(part, customer) || !mentionsCustomer(customer, part)
        ? withoutCustomer(part, customer)
        : withoutPerson(part, customer),
    );
  const entries = Object.entries(row).filter(([name]) => !mentionsCustomer(customer, name));
  const isOfCustomer = entries.some(
    ([, inner]) => typeof inner !== 'object' && mentionsCustomer(customer, inner),
  );
  return Object.fromEntries(
    entries.map(([name, inner]: [string, unknown]) => [
      name,
      name === 'errors' && Array.isArray(inner)
        ? // Texts of the platform do not say whose they are.
          []
        : typeof inner === 'object' || !isOfCustomer
          ? withoutCustomer(inner, customer)
          : kept(name, inner, customer),
    ]),
  );
}

/** Returns a part that is about the customer alone. */
function withoutPerson(part: unknown, customer: Customer): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return null;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name]) => !mentionsCustomer(customer, name))
      .map(([name, inner]: [string, unknown]) => [
        name,
        Array.isArray(inner) ? [] : kept(name, inner, customer),
      ]),
  );
}

function kept(name: string, value: unknown, customer: Customer): unknown {
  return KEPT.has(name) && typeof value !== 'object' && !mentionsCustomer(customer, value)
    ? value
    : null;
}

function ofCustomer(part: unknown, customer: Customer): unknown[] {
  return mentionsCustomer(customer, part) ? [part] : [];
}

function isOther(part: unknown, customer: Customer): boolean {
  if (mentionsCustomer(customer, part)) return false;
  return typeof part === 'string' ? hasPhone(part) : typeof part === 'object' && part !== null;
}

function hasPhone(text: string): boolean {
  return maskPhones(text) !== text;
}

/** Returns the body of a delivery about several persons without the data of the customer; null for any other body. */
export function bodyWithoutCustomer(body: Buffer, customer: Customer): Buffer | null {
  const value = jsonOf(body.toString());
  return isShared(value, customer)
    ? Buffer.from(JSON.stringify(withoutCustomer(value, customer)))
    : null;
}
