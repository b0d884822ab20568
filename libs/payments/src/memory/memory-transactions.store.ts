import { NEVER } from 'rxjs';
import {
  ownerIdOf,
  readPayerOf,
  type TransactionChange,
  type TransactionRecord,
  type TransactionSum,
} from '../money/transaction.js';
import { sumWithoutPerson } from '../store/redaction.js';
import {
  isSumListed,
  MATCHED_FOR_MS,
  MOST_FOUND,
  type Page,
  type PageRequest,
  type TransactionFilter,
  TransactionsStore,
  type UntiedQuery,
} from '../store/transactions.store.js';
import { PerAccount } from '../runtime/per-account.js';
import { isWithin, pageOf } from './memory-lists.js';

export class MemoryTransactionsStore extends TransactionsStore {
  private readonly records = new PerAccount(() => new Map<string, TransactionRecord>(), NEVER);

  async findMany(
    account: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, TransactionRecord>> {
    const records = this.records.get(account);
    const found = new Map<string, TransactionRecord>();
    for (const reference of references) {
      const record = records.get(reference);
      if (record) found.set(reference, record);
    }
    return found;
  }

  async findUntied(account: string, query: UntiedQuery): Promise<TransactionRecord[]> {
    const fitting = [...this.records.get(account).values()]
      .map((record) => ({
        record,
        sums: record.sums.filter((sum) => fits(sum, record, query)),
      }))
      .filter(({ sums }) => sums.length > 0)
      .map(({ record, sums }) => ({
        record,
        several: record.sums.length > 1,
        showsPayer: sums.some((sum) => readPayerOf(sum) !== null),
        origin: Math.min(
          ...sums.map(({ originatedAt }) => (originatedAt ?? record.createdAt).getTime()),
        ),
      }))
      .sort((one, other) => one.origin - other.origin);
    const single = fitting.filter(({ several }) => !several);
    return [
      single.filter(({ showsPayer }) => showsPayer),
      single.filter(({ showsPayer }) => !showsPayer),
      fitting.filter(({ several }) => several),
    ]
      .flatMap((found) => found.slice(0, MOST_FOUND))
      .sort((one, other) => one.origin - other.origin)
      .map(({ record }) => record);
  }

  async list(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>> {
    const { reference, receipt, from, to } = filter;
    const found = [...this.records.get(account).values()]
      .filter((record) => reference === undefined || record.reference === reference)
      .filter((record) => receipt === undefined || isReceipt(record.reference, receipt))
      .filter(({ sums }) => sums.some((sum) => isSumListed(sum, filter)))
      .filter((record) => {
        const originatedAt = originOf(record);
        return (!from && !to) || (originatedAt !== null && isWithin(originatedAt, from, to));
      });
    return pageOf(found, page, (record) => [
      originOf(record) ?? record.createdAt,
      record.reference,
    ]);
  }

  /** True when a change was decided on the present version. */
  isCurrent(account: string, { reference, version }: TransactionChange): boolean {
    return (this.records.get(account).get(reference)?.version ?? null) === version;
  }

  write(
    account: string,
    { reference, version, sums, redacted = false }: TransactionChange,
    now: Date,
  ): void {
    const records = this.records.get(account);
    records.set(reference, {
      account,
      reference,
      sums,
      redacted,
      version: (version ?? 0) + 1,
      createdAt: records.get(reference)?.createdAt ?? now,
    });
  }

  all(account: string): TransactionRecord[] {
    return [...this.records.get(account).values()];
  }

  /** Redacts and deletes old records, and returns how many it redacted. A record without an owner is not redacted while it may be matched. */
  applyRetention(
    account: string,
    now: number,
    { personalDataMs, dedupeForMs }: { personalDataMs: number; dedupeForMs: number },
    isChosen: (record: TransactionRecord) => boolean = () => true,
  ): number {
    let count = 0;
    const records = this.records.get(account);
    for (const [reference, record] of records) {
      if (!isChosen(record)) continue;
      const age = now - record.createdAt.getTime();
      if (age >= dedupeForMs) records.delete(reference);
      else if (record.redacted) continue;
      else if (age >= Math.max(personalDataMs, isUntied(record) ? MATCHED_FOR_MS : 0)) {
        records.set(reference, redacted(record));
        count += 1;
      }
    }
    return count;
  }
}

/** A record with several sums fits whoever its payer is. Such records are rare. */
function fits(
  sum: TransactionSum,
  { sums, createdAt }: TransactionRecord,
  query: UntiedQuery,
): boolean {
  const isOfAnyPayer = sums.length > 1;
  const at = sum.originatedAt ?? createdAt;
  return (
    sum.received !== null &&
    ownerIdOf(sum) === null &&
    sum.amountMinor === query.amountMinor &&
    sum.currency === query.currency &&
    (isOfAnyPayer || (readPayerOf(sum) ?? query.payerHash) === query.payerHash) &&
    at >= query.from &&
    at <= query.to
  );
}

function isReceipt(reference: string, receipt: string): boolean {
  const [whole, part] = [reference.toLowerCase(), receipt.trim().toLowerCase()];
  return whole.startsWith(part) || whole.endsWith(part);
}

/** Lists are sorted by the time at which the first sum of a record originated. */
function originOf({ sums }: TransactionRecord): Date | null {
  return sums[0]?.originatedAt ?? null;
}

function isUntied({ sums }: TransactionRecord): boolean {
  return sums.some((sum) => sum.received !== null && ownerIdOf(sum) === null);
}

function redacted(record: TransactionRecord): TransactionRecord {
  return {
    ...record,
    version: record.version + 1,
    redacted: true,
    sums: record.sums.map(sumWithoutPerson),
  };
}
