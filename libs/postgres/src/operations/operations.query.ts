import {
  wordsOf,
  type OperationFilter,
  type OperationState,
} from '@tillkit/payments/internal/store';
import { beginningProbes, lookedPage, MOST_PROBED, type Probe, type Query } from '../page.query.js';
import { beginsWith, Conditions, cursorOf, type Cursor } from '../query-conditions.js';
import { hashOf, storableText } from '../storable.js';

/** Nearly all rows have a frequent state, and few have a rare one. The other states are those of operations that are not final. */
const FREQUENT: readonly OperationState[] = ['succeeded', 'failed'];
const RARE: readonly OperationState[] = ['partially_succeeded', 'reversed'];

/** Indexes have these expressions. */
const KEY = 'lower(left(idempotency_key, 60))';
const FIRST = "lower(left(personal->'subscriber'->>'firstName', 40))";
const LAST = "lower(left(personal->'subscriber'->>'lastName', 40))";

/** Platform ids are unique within each of these kinds of operations. */
const KINDS = ['payment', 'payout', 'refund', 'payment_link'];

type Filter = OperationFilter & { phoneHash?: string };

const CURSOR = cursorOf('found.created_at', 'found.id');

const COLUMNS = `operation_row.*, (extract(epoch from :schema.clock()) * 1000)::text as now`;
const ROWS = ':schema.operation_row on operation_row.id = found.id and operation_row.account = $1';

const LIST = {
  table: ':schema.operation',
  time: 'created_at',
  key: 'id',
  cursorOf: (id: string) => id,
  columns: COLUMNS,
  rows: ROWS,
};

/**
 * True when an index has few rows that fit (operation_payer, operation_refund_of, or the one of the key that the filter names), or has them
 * newest first (operation_created, operation_amount).
 */
function hasIndex({
  states,
  inReview,
  causes,
  passed,
  reasons,
  sources,
  tillNumber,
  ...filter
}: Filter): boolean {
  const named = [
    filter.ids,
    filter.phoneHash,
    filter.idempotencyKey,
    filter.platformId,
    filter.reference,
    filter.refundOf,
  ];
  if (named.some((value) => value !== undefined)) return true;
  if (filter.name !== undefined || filter.keyBeginsWith !== undefined) return false;
  if (states ?? inReview ?? causes ?? passed ?? reasons ?? sources ?? tillNumber) return false;
  return isOneAmount(filter) || (filter.amountFrom === undefined && filter.amountTo === undefined);
}

function isOneAmount({ amountFrom, amountTo }: Filter): boolean {
  return amountFrom !== undefined && amountFrom === amountTo;
}

/**
 * Names the indexes that may have few rows that fit, or most: operation_key, operation_first_name with operation_last_name, operation_amount,
 * operation_passed, and the queue of operations.
 */
function probesOf(conditions: Conditions, filter: Filter): Probe[] {
  const { keyBeginsWith, name } = filter;
  if (keyBeginsWith !== undefined) return beginningProbes(conditions, KEY, keyBeginsWith, 60);
  if (name !== undefined) {
    const [first] = wordsOf(name);
    return [FIRST, LAST].flatMap((column) => beginningProbes(conditions, column, first, 40));
  }
  if (filter.amountFrom !== undefined || filter.amountTo !== undefined) {
    const amounts = conditions.others();
    addAmounts(amounts, filter);
    return [{ where: amounts.where, order: 'amount::numeric' }];
  }
  if (filter.passed)
    return [{ where: "account || '' = $1 and besides is not null", order: 'created_at' }];
  const queued = queuedAs(filter);
  if (queued === null) return [];
  const few = queued.map(
    (as) =>
      `(select id from :schema.operation_queue where account = $1 and ${as} limit ${MOST_PROBED + 1})`,
  );
  return [{ where: `account = $1 and id in (${few.join(' union all ')})`, order: 'created_at' }];
}

/** Returns the conditions on operation_queue for these states; null if the queue does not have all of them. */
function queuedAs({ states, inReview }: Filter): string[] | null {
  if (inReview) return ["listed_as = 'in_review'"];
  if (!states) return null;
  // An operation that was paid in part may be in review.
  if (states.every((state) => RARE.includes(state))) return ["listed_as in ('rare', 'in_review')"];
  if (states.some((state) => [...FREQUENT, ...RARE].includes(state))) return null;
  const reviews = states.includes('needs_review') ? ["listed_as = 'in_review'"] : [];
  return states.every((state) => state === 'needs_review')
    ? reviews
    : ['followed = false', ...reviews];
}

/** Returns a page of a list, newest first. */
export function listOperations(
  account: string,
  filter: Filter,
  limit: number,
  after: Cursor | undefined,
): Query {
  return (hasIndex(filter) ? byIndex : byLooking)(account, filter, limit, after);
}

function byIndex(account: string, filter: Filter, limit: number, after: Cursor | undefined): Query {
  const conditions = Conditions.ofAccount(account);
  addPlace(conditions, filter, after);
  addRest(conditions, filter);
  return {
    text: `
with found as materialized (
  select id, created_at from :schema.operation where ${conditions.where}
  order by created_at desc, id desc limit ${limit}
)
select ${COLUMNS}, ${CURSOR}
from found join ${ROWS}
order by found.created_at desc, found.id desc`,
    values: conditions.values,
  };
}

function byLooking(
  account: string,
  filter: Filter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const place = Conditions.ofAccount(account);
  addPlace(place, filter, after);
  const rest = place.others();
  addRest(rest, filter);
  return lookedPage(LIST, place, rest, limit, probesOf(place, filter));
}

/** Adds the conditions that decide where a page begins and ends. */
function addPlace(
  conditions: Conditions,
  { kind, from, to }: Filter,
  after: Cursor | undefined,
): void {
  conditions
    .add('kind = ?', kind)
    .add('created_at >= to_timestamp(?::float8 / 1000)', from?.getTime())
    .add('created_at < to_timestamp(?::float8 / 1000)', to?.getTime())
    .before('created_at', 'id', after);
  // Repeats the condition of the partial index operation_of_kind.
  if (kind !== undefined && kind !== 'payment') conditions.state("kind <> 'payment'");
}

function addRest(conditions: Conditions, filter: Filter): void {
  const { states, name } = filter;
  conditions
    .add('id = any(?::text[])', filter.ids)
    .add('state = any(?::text[])', states)
    .add('cause = any(?::text[])', filter.causes)
    .add('reason = any(?::text[])', filter.reasons)
    .add('settled_via = any(?::text[])', filter.sources)
    .add('tills @> array[?::text]', storable(filter.tillNumber))
    .add("phone_hash = decode(?, 'hex') and not redacted", filter.phoneHash)
    .add('idempotency_key = ?', storable(filter.idempotencyKey))
    .add(
      // Repeats the condition of the partial index operation_refund_of.
      "kind = 'refund' and hashtextextended(request->>'reference', 0) = hashtextextended(?, 0) and request->>'reference' = ?",
      storable(filter.refundOf),
    );
  if (filter.inReview)
    conditions.state(
      "(state = 'needs_review' or cause is not null and state in ('succeeded', 'partially_succeeded'))",
    );
  if (filter.passed) conditions.state('besides is not null');
  addAmounts(conditions, filter);
  if (filter.platformId !== undefined) addPlatformId(conditions, filter.platformId, filter.kind);
  if (filter.reference !== undefined) addReference(conditions, filter.reference);
  if (name !== undefined) addName(conditions, name);
  if (filter.keyBeginsWith !== undefined) addKey(conditions, filter.keyBeginsWith);
}

function addPlatformId(conditions: Conditions, platformId: string, kind?: string): void {
  const id = conditions.value(storableText(platformId));
  const names = (kind === undefined ? KINDS : [kind]).map(
    (each) => `:fn.platform_name(${conditions.value(each)}, ${id})`,
  );
  conditions.state(
    `platform_id = ${id} and id in (select operation_id from :schema.platform_name named
      where named.account = $1 and named.name in (${names.join(', ')}))`,
  );
}

/** The money of an operation is also a transaction, and that transaction names the operation. */
function addReference(conditions: Conditions, reference: string): void {
  conditions.state(
    `transaction->>'reference' = ${conditions.value(storableText(reference))} and id in (
      select coalesce(sum->>'paymentId', sum->>'paymentLinkId')
      from :schema.transaction cross join lateral jsonb_array_elements(sums) as each(sum)
      where transaction.account = $1 and reference_hash = decode(${conditions.value(hashOf(reference))}, 'hex'))`,
  );
}

function addAmounts(conditions: Conditions, filter: Filter): void {
  const { amountFrom, amountTo } = filter;
  if (isOneAmount(filter)) {
    conditions.add('amount::numeric = ?::numeric', amountFrom);
    return;
  }
  conditions
    .add('amount::numeric >= ?::numeric', amountFrom)
    .add('amount::numeric <= ?::numeric', amountTo);
}

/** Finds a name that begins with the whole text, or two names of which one begins with the first word and the other with the rest. */
function addName(conditions: Conditions, name: string): void {
  const [first, rest] = wordsOf(name);
  const begins = (column: string, text: string): string => beginsWith(conditions, column, text, 40);
  const whole = name.trim();
  const ways = [begins(FIRST, whole), begins(LAST, whole)];
  if (rest !== '')
    ways.push(
      `${begins(FIRST, first)} and ${begins(LAST, rest)}`,
      `${begins(LAST, first)} and ${begins(FIRST, rest)}`,
    );
  conditions.state(`(${ways.join(' or ')})`);
}

/** The index contains only the beginning of a long key. */
function addKey(conditions: Conditions, key: string): void {
  conditions.state(beginsWith(conditions, KEY, key, 60));
  if (Array.from(key.trim()).length > 60)
    conditions.state(beginsWith(conditions, 'lower(idempotency_key)', key, key.length));
}

function storable(text: string | undefined): string | undefined {
  return text === undefined ? undefined : storableText(text);
}
