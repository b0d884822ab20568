import { Injectable } from '@nestjs/common';
import { AnomaliesStore, ANOMALY } from '../store/anomalies.store.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import { maskPhones } from '../money/phone-mask.js';
import {
  aliasFor,
  amountIn,
  isUsedAgain,
  minorOf,
  type MoneyKey,
  reportsDiffer,
  sumOf,
  wentBack,
} from '../money/transaction-sameness.js';
import {
  isEvidenced,
  movementOf,
  type Transaction,
  type TransactionRecord,
} from '../money/transaction.js';
import { unreadFields } from './transaction-changes.js';
import type { TillAliases } from '../money/till-number.js';
import { SafeLogger } from '../runtime/logging.js';

/** A contradiction between two reports of a transaction. */
interface Difference {
  /** The anomaly. */
  what: string;
  warning?: string;
}

/**
 * Records contradictions under one reference as anomalies. The first report of a transaction stays; a different one changes
 * nothing.
 */
@Injectable()
export class TransactionDifferences {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly anomalies: AnomaliesStore,
    private readonly accounts: AccountRegistry,
  ) {}

  /** Returns the differences between a report of a transaction and our record of it. */
  found(
    account: string,
    record: TransactionRecord | null,
    key: MoneyKey,
    seen: Transaction,
    isReversal?: boolean,
  ): readonly Difference[] {
    const { tillAliases } = this.accounts.settings(account);
    const compared = record?.redacted ? { ...seen, senderPhoneNumber: null } : seen;
    return differencesOf(record, key, compared, tillAliases, isReversal);
  }

  async record(account: string, key: MoneyKey, differences: readonly Difference[]): Promise<void> {
    for (const { what, warning } of differences) {
      if (warning) this.logger.seldom('warn', what, warning, { account, reference: key.reference });
      await this.anomaly(account, what, key);
    }
  }

  /** Compares an observed transaction with the amount of its operation, if only its reference was known before. */
  async recordNamed(
    account: string,
    record: TransactionRecord | null,
    key: MoneyKey,
    owner: { amountMinor: string } | null,
    seen: Transaction,
  ): Promise<void> {
    const { tillAliases } = this.accounts.settings(account);
    const isNamedOnly = sumOf(record, key, tillAliases)?.received === null;
    if (!owner || !isNamedOnly || (minorOf(seen) ?? owner.amountMinor) === owner.amountMinor)
      return;
    await this.anomaly(account, ANOMALY.anotherAmount, key);
  }

  private anomaly(account: string, what: string, { reference }: MoneyKey): Promise<void> {
    return this.anomalies.record(account, what, reference);
  }
}

/** Compares a transaction that was just observed with its record. */
function differencesOf(
  record: TransactionRecord | null,
  key: MoneyKey,
  seen: Transaction,
  tillAliases: TillAliases,
  isReversal = movementOf(seen.status) === 'reversed',
): Difference[] {
  const sum = sumOf(record, key, tillAliases);
  const differences: Difference[] = [];
  if (!isReversal && isEvidenced(seen))
    differences.push(...unreadFields(seen).map((field) => ({ what: ANOMALY.unread(field) })));
  const first = (isReversal && sum?.reversal) || sum?.received;
  // Money may be known only by its reversal, which names its payer, and may be of a later time.
  const money = sum?.received ?? (sum?.reversal && { ...sum.reversal, originationTime: null });
  if (money && !isReversal && isUsedAgain(money, seen)) {
    const warning =
      'a reference was reported again with another payer or time; the first report is kept';
    differences.push({ what: ANOMALY.referenceUsedAgain(shown(money), shown(seen)), warning });
  } else if (first && (isReversal ? isOtherReversal(first, seen) : reportsDiffer(first, seen))) {
    const warning = 'a transaction was reported again with another amount; the first one is kept';
    differences.push({ what: ANOMALY.anotherAmount, warning });
  }
  const other = record?.sums[0]?.tills[0];
  if (!sum && other !== undefined) differences.push(atSecondTill(key, other));
  return differences;
}

/** True when a reversal is of another amount than the money, or than the reversal that is known. */
function isOtherReversal(first: Transaction, seen: Transaction): boolean {
  return wentBack(seen, first) !== 'all';
}

/** Returns a report in the words of an anomaly: a person compares two of them. */
function shown(transaction: Transaction): string {
  const { originationTime, senderPhoneNumber } = transaction;
  const payer = senderPhoneNumber === null ? 'an unknown payer' : maskPhones(senderPhoneNumber);
  return `${amountIn(transaction)} at ${originationTime ?? 'an unknown time'} from ${payer}`;
}

function atSecondTill({ reference, till }: MoneyKey, other: string): Difference {
  const alias = aliasFor(till, other);
  const warning =
    `transaction ${reference} is reported at two tills, ${other} and ${till}, and counts as two sums; ` +
    `if both are one till, set PAYMENTS_TILL_ALIASES=${alias}`;
  return { what: ANOMALY.atTwoTills(alias), warning };
}
