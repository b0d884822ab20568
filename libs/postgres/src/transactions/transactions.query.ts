import { phoneHash, type TransactionFilter } from '@tillkit/payments/internal/store';
import { beginningProbes, lookedPage, type Probe, type Query } from '../page.query.js';
import { beginnings, beginsWith, Conditions, cursorOf, type Cursor } from '../query-conditions.js';
import { hashOf, storableText } from '../storable.js';

const TIME = 'coalesce(originated_at, created_at)';

/** Indexes have these expressions. */
const BEGINNING = 'lower(left(reference, 40))';
const END = 'reverse(lower(right(reference, 40)))';

/** The hash of the reference makes the order unique. The reference itself may be too long for a cursor. */
const nameOf = (hash: string): string => `encode(${hash}, 'hex')`;
const NAME = nameOf('reference_hash');

const COLUMNS = `transaction.account, transaction.reference, transaction.version,
  transaction.redacted::text as redacted, transaction.sums, transaction.marks,
  extract(epoch from transaction.created_at) * 1000 as created_at`;

const LIST = {
  table: ':schema.transaction',
  time: TIME,
  key: 'reference_hash',
  cursorOf: nameOf,
  columns: COLUMNS,
  rows: ':schema.transaction on transaction.reference_hash = found.reference_hash and transaction.account = $1',
};

/** Returns a page of a list, latest first. */
export function listTransactions(
  account: string,
  filter: TransactionFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  return (hasIndex(filter) ? byIndex : byLooking)(account, filter, limit, after);
}

/**
 * True when an index finds the rows that fit, or when all newer rows fit: transaction_origin, transaction_unmatched, or the primary key.
 */
function hasIndex({ reference, matched, ...filter }: TransactionFilter): boolean {
  if (reference !== undefined) return true;
  const { from: _from, to: _to, ...others } = filter;
  return matched !== true && Object.values(others).every((value) => value === undefined);
}

function byIndex(
  account: string,
  filter: TransactionFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const conditions = Conditions.ofAccount(account);
  addPlace(conditions, filter, after);
  addRest(conditions, filter);
  return {
    text: `
select ${COLUMNS}, ${cursorOf(TIME, NAME)}
from :schema.transaction
where ${conditions.where}
order by ${TIME} desc, reference_hash desc limit ${limit}`,
    values: conditions.values,
  };
}

function byLooking(
  account: string,
  filter: TransactionFilter,
  limit: number,
  after: Cursor | undefined,
): Query {
  const place = Conditions.ofAccount(account);
  addPlace(place, filter, after);
  const rest = place.others();
  addRest(rest, filter);
  return lookedPage(LIST, place, rest, limit, probesOf(place, filter));
}

/** Names the indexes that may have few rows that fit, or most: transaction_beginning and transaction_end. */
function probesOf(conditions: Conditions, { receipt }: TransactionFilter): Probe[] {
  if (receipt === undefined) return [];
  return [
    ...beginningProbes(conditions, BEGINNING, receipt, 40),
    ...beginningProbes(conditions, END, reversed(receipt), 40),
  ];
}

/** Adds the conditions that decide where a page begins and ends. */
function addPlace(
  conditions: Conditions,
  { from, to, matched }: TransactionFilter,
  after: Cursor | undefined,
): void {
  conditions
    .add(`${TIME} >= to_timestamp(?::float8 / 1000)`, from?.getTime())
    .add(`${TIME} < to_timestamp(?::float8 / 1000)`, to?.getTime())
    .before(TIME, NAME, after);
  if (from ?? to) conditions.state('originated_at is not null');
  if (matched === false) conditions.state('untied');
}

function addRest(conditions: Conditions, filter: TransactionFilter): void {
  const { reference, receipt, tillNumber, phoneNumber, matched, reported } = filter;
  conditions.add(
    "reference_hash = decode(?, 'hex')",
    reference === undefined ? undefined : hashOf(reference),
  );
  if (receipt !== undefined) {
    const begins = beginsWith(conditions, BEGINNING, receipt, 40);
    const ends = beginsWith(conditions, END, reversed(receipt), 40);
    conditions.state(`(${begins} or ${ends})`);
  }
  const ofSum = conditions.others();
  ofSum
    .add(
      "sum->'tills' @> to_jsonb(?::text)",
      tillNumber === undefined ? undefined : storableText(tillNumber),
    )
    .add("sum->>'payerHash' = ?", phoneNumber === undefined ? undefined : phoneHash(phoneNumber))
    .add(`${amountOf} >= ?::numeric`, filter.amountFrom)
    .add(`${amountOf} <= ?::numeric`, filter.amountTo)
    .add(
      `${payerOf} like any (array(select '% ' || unnest(?::text[])))`,
      filter.name && beginnings(filter.name, 40),
    );
  ofSum.add(
    "sum->>'received' is not null and (mark->>'announced')::boolean = ?::boolean",
    reported,
  );
  if (matched !== undefined)
    ofSum.state(matched ? OWNED : `sum->>'received' is not null and not ${OWNED}`);
  if (filter.reversed !== undefined)
    ofSum.state(`(sum->>'reversal' is ${filter.reversed ? 'not ' : ''}null)`);
  if (ofSum.where !== 'true')
    conditions.state(
      `exists (select from rows from (jsonb_array_elements(sums), jsonb_array_elements(marks)) as each(sum, mark) where ${ofSum.where})`,
    );
}

function reversed(text: string): string {
  return Array.from(text).reverse().join('');
}

const MONEY = "coalesce(nullif(sum->'received', 'null'), sum->'reversal')";

/** We compare only a readable amount, because the platform may write anything. */
const amountOf = `(case when ${MONEY}->>'amount' ~ '^[0-9]+([.][0-9]+){0,1}$' then (${MONEY}->>'amount')::numeric end)`;

const payerOf = `lower(concat_ws(' ', '', ${MONEY}->>'senderFirstName', ${MONEY}->>'senderMiddleName', ${MONEY}->>'senderLastName'))`;

const OWNED = "(coalesce(sum->>'paymentId', sum->>'paymentLinkId', sum->>'bareId') is not null)";
