import { PaymentsValidationError } from '../payments.errors.js';
import type { CurrentSettings } from '../accounts/payments.settings.js';
import { PollingWindowsService } from '../platform/resources/polling-windows.service.js';
import type { Transaction, TransactionRecord, TransactionSum } from '../money/transaction.js';
import { tillMovementOf, type AcceptedStatuses } from '../money/webhook-topics.js';
import { minorOf, moneyKey, type MoneyKey, sumOf } from '../money/transaction-sameness.js';
import { TransactionsStore } from '../store/transactions.store.js';
import { isOwnTill, isSameTill } from '../money/till-number.js';
import { readTimestamp } from '../money/timestamp.js';
import { Concealed } from '../runtime/validate-input.js';
import { DAY } from '../runtime/clock.js';

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
  /** The id of our payment that owns the money; null when no payment owns it. */
  paymentId: string | null;
  /** The id of our payment link that owns the money; null when no link owns it. */
  paymentLinkId: string | null;
  /** The difference in words; null when there is none. */
  difference: string | null;
}

/** Our transactions and those that the platform lists, side by side. @publicApi */
export interface ReconciliationReport {
  from: string;
  to: string;
  matched: ReportLine[];
  /** The platform lists it, we do not know it. */
  missingHere: ReportLine[];
  /** We know it, the platform does not list it. */
  missingThere: ReportLine[];
  /** Both sides know this money, and they differ about it. */
  different: ReportLine[];
}

/**
 * Compares our transactions with those that the platform lists. It only reads: sweeps find the transactions that we miss, and emit their
 * events.
 * @see docs/guide.md#reconcile
 * @publicApi
 */
@Concealed()
export class ReconciliationService {
  constructor(
    private readonly transactionsStore: TransactionsStore,
    private readonly windows: PollingWindowsService,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Compares all money of a window: matched, missing here, missing there, different.
   * @param window the platform's times, `from` included, `to` not; `tillNumber`, or one of its aliases, limits the report to one till
   * @example
   * const report = await reconciliation.report({ from: new Date('2026-01-01'), to: new Date('2026-01-02') });
   * if (report.missingHere.length > 0) alertOperators(report);
   * @throws PaymentsValidationError when `to` is not after `from`
   * @throws PaymentsError when the platform cannot be read completely: half a report would look like missing money
   */
  async report({
    from,
    to,
    tillNumber,
  }: {
    from: Date;
    to: Date;
    tillNumber?: string | undefined;
  }): Promise<ReconciliationReport> {
    if (!(from < to))
      throw new PaymentsValidationError([{ field: 'to', problem: 'must be after from' }]);
    const listed = await this.listed(from, to);
    const report: ReconciliationReport = {
      from: from.toISOString(),
      to: to.toISOString(),
      matched: [],
      missingHere: [],
      missingThere: [],
      different: [],
    };
    const { tillAliases, deliveries } = this.settings.current;
    const isWanted = (tills: readonly string[]): boolean =>
      tillNumber === undefined || isSameTill(tillNumber, tills, tillAliases);
    for (const { reference, sums } of await this.recorded(from, to)) {
      for (const sum of sums) {
        const there = listed.find(reference, ({ till }) =>
          isSameTill(till, sum.tills, tillAliases),
        );
        if (there) listed.delete(there);
        if (!isWanted(sum.tills)) continue;
        const line = lineOf(
          reference,
          sum,
          there?.transaction ?? null,
          deliveries.acceptedStatuses,
        );
        if (!there) report.missingThere.push(line);
        else if (line.difference === null) report.matched.push(line);
        else report.different.push(line);
      }
    }
    report.missingHere = await Promise.all(
      listed
        .rest()
        .filter(({ key }) => isOwnTill(this.settings.current, key.till) && isWanted([key.till]))
        .map(({ key, transaction }) => this.unknownHere(key, transaction)),
    );
    return report;
  }

  /** Reads the platform's lists of the window, and takes each money once. */
  private async listed(from: Date, to: Date): Promise<Listed> {
    const listed = new Listed();
    const { account } = this.settings.current;
    for (let start = from.getTime(); start < to.getTime(); start += DAY) {
      const end = new Date(Math.min(start + DAY, to.getTime()));
      const { transactions } = await this.windows.read(account, new Date(start), end);
      for (const transaction of transactions) {
        const key = moneyKey(transaction);
        if (key && isWithin(transaction, from, to)) listed.add({ key, transaction });
      }
    }
    return listed;
  }

  /** Reads all our transactions of the window, page by page. */
  private async recorded(from: Date, to: Date): Promise<TransactionRecord[]> {
    const records: TransactionRecord[] = [];
    let after: string | null | undefined;
    while (after !== null) {
      const page = await this.transactionsStore.list(
        this.settings.current.account,
        { from, to },
        { limit: PAGE, ...(after && { after }) },
      );
      records.push(...page.items);
      after = page.next;
    }
    return records;
  }

  private async unknownHere(key: MoneyKey, listed: Transaction): Promise<ReportLine> {
    const record = await this.transactionsStore.find(this.settings.current.account, key.reference);
    const elsewhere = sumOf(record, key, this.settings.current.tillAliases);
    return {
      reference: key.reference,
      tillNumber: key.till,
      amountHere: elsewhere?.received?.amount ?? null,
      amountThere: listed.amount,
      currency: listed.currency,
      originatedAt: listed.originationTime,
      paymentId: elsewhere?.paymentId ?? null,
      paymentLinkId: elsewhere?.paymentLinkId ?? null,
      difference: elsewhere ? 'we know it at another time' : null,
    };
  }
}

interface ListedTransaction {
  key: MoneyKey;
  transaction: Transaction;
}

/** The transactions that the platform lists, by reference: mostly one each. The last listing of one money counts. */
class Listed {
  private readonly byReference = new Map<string, Map<string, ListedTransaction>>();

  add(listed: ListedTransaction): void {
    const { reference, till } = listed.key;
    const tills = this.byReference.get(reference) ?? new Map<string, ListedTransaction>();
    this.byReference.set(reference, tills.set(till, listed));
  }

  find(reference: string, isMine: (key: MoneyKey) => boolean): ListedTransaction | undefined {
    return [...(this.byReference.get(reference)?.values() ?? [])].find(({ key }) => isMine(key));
  }

  delete({ key: { reference, till } }: ListedTransaction): void {
    this.byReference.get(reference)?.delete(till);
  }

  rest(): ListedTransaction[] {
    return [...this.byReference.values()].flatMap((tills) => [...tills.values()]);
  }
}

function lineOf(
  reference: string,
  sum: TransactionSum,
  listed: Transaction | null,
  accepted: AcceptedStatuses,
): ReportLine {
  const here = sum.received ?? sum.reversal;
  return {
    reference,
    tillNumber: sum.tills[0] ?? '',
    amountHere: here?.amount ?? null,
    amountThere: listed?.amount ?? null,
    currency: here?.currency ?? listed?.currency ?? null,
    originatedAt: here?.originationTime ?? null,
    paymentId: sum.paymentId,
    paymentLinkId: sum.paymentLinkId,
    difference: listed && differenceOf(sum, listed, accepted),
  };
}

function differenceOf(
  sum: TransactionSum,
  listed: Transaction,
  accepted: AcceptedStatuses,
): string | null {
  const differences: string[] = [];
  if (minorOf(listed) !== sum.amountMinor) differences.push('amount');
  if (listed.currency !== sum.currency) differences.push('currency');
  if ((tillMovementOf(listed, accepted) === 'reversed') !== (sum.reversal !== null)) {
    differences.push(sum.reversal ? 'reversed here, not there' : 'reversed there, not here');
  }
  return differences.length > 0 ? differences.join(', ') : null;
}

function isWithin({ originationTime }: Transaction, from: Date, to: Date): boolean {
  const at = readTimestamp(originationTime);
  return at === null || (at >= from && at < to);
}
