import type { Customer } from './retention.store.js';

/** Fields of a part that say what became of it, and of nobody who it is. */
const KEPT: ReadonlySet<string> = new Set([
  'type',
  'amount',
  'currency',
  'state',
  'status',
  'transactionReference',
  'transaction_reference',
]);

/** Whether a value mentions a customer: by the digits of the phone number, or by their hash. */
export function mentionsCustomer({ digits, hash }: Customer, value: unknown): boolean {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.includes(digits) || text.toLowerCase().includes(hash);
}

/**
 * Whether a row is about several persons, such as a payout with several destinations: it has a list in which some parts mention the
 * customer and others do not.
 */
export function isShared(row: unknown, customer: Customer): boolean {
  if (typeof row !== 'object' || row === null || !mentionsCustomer(customer, row)) return false;
  if (Array.isArray(row) && row.some((part) => isOther(part, customer))) return true;
  return Object.values(row).some((inner) => isShared(inner, customer));
}

/** The parts of such a row that mention the customer. The rest is about others: it is not for this customer. */
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

/** Such a row without the data of the customer. What it says of others stays. */
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
      typeof inner === 'object' || !isOfCustomer
        ? withoutCustomer(inner, customer)
        : kept(name, inner, customer),
    ]),
  );
}

/** A part that is about the customer alone. */
function withoutPerson(part: unknown, customer: Customer): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return null;
  return Object.fromEntries(
    Object.entries(part).map(([name, inner]: [string, unknown]) => [
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
  return typeof part === 'object' && part !== null && !mentionsCustomer(customer, part);
}

/** The body of a delivery about several persons without the data of the customer; null for any other body. */
export function bodyWithoutCustomer(body: Buffer, customer: Customer): Buffer | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isShared(value, customer)
      ? Buffer.from(JSON.stringify(withoutCustomer(value, customer)))
      : null;
  } catch {
    return null;
  }
}
