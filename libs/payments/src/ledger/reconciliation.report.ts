import { Inject, Injectable } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import { PaymentsValidationError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { PollingWindowsReader } from '../resources/polling/polling-windows.reader.js';
import type { Transaction } from '../resources/transaction.resource.js';
import { readTimestamp } from '../values/timestamp.js';
import { minorOf } from './ledger.changes.js';
import { PaymentsStore } from './payments.store.js';
import { moneyKey, type TransactionRecord } from './till-transaction.js';

const DAY_MS = 86_400_000;
const PAGE = 200;

/** One line of a report: money that one side or both know of. @publicApi */
export interface ReportLine {
  reference: string;
  tillNumber: string;
  /** Decimal strings; null where a side does not know the transaction. */
  amountHere: string | null;
  amountThere: string | null;
  currency: string | null;
  originatedAt: string | null;
  /** The payment of ours whose money it is. */
  paymentId: string | null;
  /** What differs, in words; null when nothing does. */
  difference: string | null;
}

/** What we know and what the platform lists, side by side. @publicApi */
export interface ReconciliationReport {
  from: string;
  to: string;
  matched: ReportLine[];
  /** The platform lists it, we do not know it. */
  missingHere: ReportLine[];
  /** We know it, the platform does not list it. */
  missingThere: ReportLine[];
  /** Both know it, and not as the same. */
  different: ReportLine[];
}

/** Compares the store with the platform for a window. Reads only: it corrects nothing and tells nothing. */
@Injectable()
export class ReconciliationReporter {
  constructor(
    private readonly store: PaymentsStore,
    private readonly windows: PollingWindowsReader,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  async report(from: Date, to: Date): Promise<ReconciliationReport> {
    if (!(from < to))
      throw new PaymentsValidationError([{ field: 'to', problem: 'must be after from' }]);
    const there = new Map<string, Transaction>();
    for (let start = from.getTime(); start < to.getTime(); start += DAY_MS) {
      const end = new Date(Math.min(start + DAY_MS, to.getTime()));
      for (const transaction of await this.windows.read(new Date(start), end)) {
        const key = moneyKey(transaction, this.options.tillAliases);
        if (key && isWithin(transaction, from, to)) there.set(textOf(key), transaction);
      }
    }
    const report: ReconciliationReport = {
      from: from.toISOString(),
      to: to.toISOString(),
      matched: [],
      missingHere: [],
      missingThere: [],
      different: [],
    };
    for (const record of await this.known(from, to)) {
      const key = textOf(record);
      const listed = there.get(key);
      there.delete(key);
      const line = lineOf(record, listed ?? null);
      if (!listed) report.missingThere.push(line);
      else if (line.difference === null) report.matched.push(line);
      else report.different.push(line);
    }
    report.missingHere = await Promise.all(
      [...there.values()].map((transaction) => this.unknownHere(transaction)),
    );
    return report;
  }

  /** What we know of the window, whole. */
  private async known(from: Date, to: Date): Promise<TransactionRecord[]> {
    const records: TransactionRecord[] = [];
    let after: string | null | undefined;
    while (after !== null) {
      const page = await this.store.listTransactions(
        this.options.account,
        { from, to },
        { limit: PAGE, ...(after && { after }) },
      );
      records.push(...page.items);
      after = page.next;
    }
    return records;
  }

  private async unknownHere(listed: Transaction): Promise<ReportLine> {
    const key = moneyKey(listed, this.options.tillAliases);
    const elsewhere = key && (await this.store.findTransaction(this.options.account, key));
    return {
      reference: key?.reference ?? '',
      tillNumber: key?.tillKey ?? '',
      amountHere: elsewhere?.received?.amount ?? null,
      amountThere: listed.amount,
      currency: listed.currency,
      originatedAt: listed.originationTime,
      paymentId: elsewhere?.paymentId ?? null,
      difference: elsewhere ? 'we know it at another time' : null,
    };
  }
}

function lineOf(record: TransactionRecord, listed: Transaction | null): ReportLine {
  const here = record.received ?? record.reversal;
  return {
    reference: record.reference,
    tillNumber: record.tillKey,
    amountHere: here?.amount ?? null,
    amountThere: listed?.amount ?? null,
    currency: here?.currency ?? listed?.currency ?? null,
    originatedAt: here?.originationTime ?? null,
    paymentId: record.paymentId,
    difference: listed && differenceOf(record, listed),
  };
}

function differenceOf(record: TransactionRecord, listed: Transaction): string | null {
  const differences: string[] = [];
  if (minorOf(listed) !== record.amountMinor) differences.push('amount');
  if (listed.currency !== record.currency) differences.push('currency');
  if ((listed.status === 'Reversed') !== (record.reversal !== null)) {
    differences.push(record.reversal ? 'reversed here, not there' : 'reversed there, not here');
  }
  return differences.length > 0 ? differences.join(', ') : null;
}

function isWithin({ originationTime }: Transaction, from: Date, to: Date): boolean {
  const at = readTimestamp(originationTime);
  return at === null || (at >= from && at < to);
}

function textOf({ reference, tillKey }: { reference: string; tillKey: string }): string {
  return `${tillKey}\n${reference}`;
}
