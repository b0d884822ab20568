import { phoneHash } from '../money/phone-number.js';
import { ownerIdOf, type TransactionRecord, type TransactionSum } from '../money/transaction.js';

/** A transaction may still be matched for 31 days. Operations and requests that could own it are kept as long. */
export const MATCHED_FOR_MS = 31 * 24 * 60 * 60_000;

/** Limit of a search. When a search finds this many, there may be more. */
export const MOST_FOUND = 100;

/** Finds transactions that may belong to an operation. */
export interface UntiedQuery {
  currency: string;
  amountMinor: string;
  /** `phoneHash` of the expected payer. A transaction with another readable payer does not fit. */
  payerHash: string;
  /** Earliest time of origin, included. */
  from: Date;
  /** Latest time of origin, included. */
  to: Date;
}

/**
 * Selects transactions for a list, latest origin first. A record with several sums fits if one of them does. `from` and `to` exclude transactions without a readable time.
 * @publicApi
 */
export interface TransactionFilter {
  reference?: string;
  /** The beginning or the end of the reference. Upper and lower case are equal. */
  receipt?: string;
  /** The beginning of a name of the payer. Upper and lower case are equal. */
  name?: string;
  /** Phone number of the payer in international form with `+`. */
  phoneNumber?: string;
  /** A number of the till. */
  tillNumber?: string;
  /** Least amount, as a decimal string in the main unit of any currency. */
  amountFrom?: string;
  /** Greatest amount, included. */
  amountTo?: string;
  /** True: only money that an operation, or a bare request of the host, asked for. False: only received money that neither asked for. */
  matched?: boolean;
  /**
   * True: only received money for which `till.transaction.received` was emitted, because a webhook or the list of the platform has shown it at the
   * till. False: only received money without that event. Money of which only the reversal is known fits neither.
   */
  reported?: boolean;
  /** True: only money that went back. False: only money that did not. */
  reversed?: boolean;
  /** Earliest time of origin, included. */
  from?: Date;
  /** Latest time of origin, excluded. */
  to?: Date;
}

/** Store of transactions. Every method may throw `StoreUnavailableError`. */
export abstract class TransactionsStore {
  /** Returns the records under these references, without those that do not exist. */
  abstract findMany(
    account: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, TransactionRecord>>;

  /**
   * Records with a received sum that fits the query and belongs to no operation, in order of origin. A sum without a readable
   * payer fits every payer. Each of these groups has its own limit of `MOST_FOUND`, so that no group hides another: records
   * that show the payer, records that do not, and records with several sums.
   */
  abstract findUntied(account: string, query: UntiedQuery): Promise<TransactionRecord[]>;

  abstract list(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>>;

  /** Returns the record under one reference; null when there is none. */
  async find(account: string, reference: string): Promise<TransactionRecord | null> {
    return (await this.findMany(account, [reference])).get(reference) ?? null;
  }

  /**
   * Returns the record under a reference as a person types it, with blanks around it and in any case of letters; null when there is none, and when
   * several differ by the case of letters only.
   */
  async findTyped(account: string, typed: string): Promise<TransactionRecord | null> {
    const reference = typed.trim();
    if (reference === '') return null;
    const exact = await this.find(account, reference);
    if (exact) return exact;
    const { items } = await this.list(account, { receipt: reference }, { limit: 20 });
    const alike = items.filter((record) => isSameText(record.reference, reference));
    return alike.length === 1 ? (alike[0] as TransactionRecord) : null;
  }
}

function isSameText(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}

/** True when a sum is what a filter asks for, apart from its reference and its time, which are those of its record. */
export function isSumListed(sum: TransactionSum, filter: TransactionFilter): boolean {
  const { tillNumber, phoneNumber, matched, reported, reversed } = filter;
  const isMatched = ownerIdOf(sum) !== null;
  return (
    (tillNumber === undefined || sum.tills.includes(tillNumber)) &&
    (phoneNumber === undefined || sum.payerHash === phoneHash(phoneNumber)) &&
    (matched === undefined || (matched ? isMatched : sum.received !== null && !isMatched)) &&
    (reported === undefined || (sum.received !== null && sum.announced === reported)) &&
    (reversed === undefined || (sum.reversal !== null) === reversed) &&
    isOfAmount(sum, filter) &&
    (filter.name === undefined || isOfPayer(sum, filter.name))
  );
}

function isOfAmount(
  { received, reversal }: TransactionSum,
  { amountFrom, amountTo }: TransactionFilter,
): boolean {
  if (amountFrom === undefined && amountTo === undefined) return true;
  const amount = (received ?? reversal)?.amount ?? null;
  if (amount === null || !/^\d+(\.\d+)?$/.test(amount)) return false;
  return (
    Number(amount) >= Number(amountFrom ?? 0) && Number(amount) <= Number(amountTo ?? Infinity)
  );
}

function isOfPayer({ received, reversal }: TransactionSum, name: string): boolean {
  const payer = received ?? reversal;
  const names = [payer?.senderFirstName, payer?.senderMiddleName, payer?.senderLastName];
  return ['', ...names].join(' ').toLowerCase().includes(` ${name.trim().toLowerCase()}`);
}

/** Asks for one page of a long list. Keyset pagination: the thousandth page costs as much as the first one. @publicApi */
export interface PageRequest {
  /** Maximum number of items, 1 to 1,000. */
  limit: number;
  /** `next` of the previous page. Omit it for the first page. */
  after?: string;
  /** True when an answer that is a little old is good enough, as for a page: then a replica of the database may give it. */
  mayBeOld?: boolean;
}

/** One page of a list. @publicApi */
export interface Page<T> {
  items: T[];
  /** Pass it as `after` to get the next page; null on the last page. */
  next: string | null;
  /**
   * The time down to which the store has looked, if it stopped before the page was full: it looks at a limited number of rows for a page,
   * so that a filter that fits few of them costs no more than another. The next page goes on from there.
   */
  lookedTo?: Date;
}

/** Returns the first word of a search, and the rest of it. */
export function wordsOf(search: string): [first: string, rest: string] {
  const [first = '', ...rest] = search.trim().split(/\s+/u);
  return [first, rest.join(' ')];
}
