import { Injectable } from '@nestjs/common';
import { AnomaliesStore } from '../store/anomalies.store.js';
import { ANOMALY } from '../store/anomaly-kinds.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { isEvidenced, movementOf, type Transaction } from '../money/transaction.js';
import type { ArrivingDelivery } from './arriving-delivery.js';
import { minorOf, unreadFields } from './transaction-changes.js';
import type { TransactionRecord } from '../money/transaction.record.js';
import { aliasFor, sumOf, type MoneyKey } from '../money/transaction-sameness.js';
import type { TillAliases } from '../money/till-number.js';
import { SafeLogger } from '../work/safe-logger.js';

/** A contradiction between two reports of a transaction. */
interface Difference {
  /** The anomaly. */
  what: string;
  warning?: string;
}

/** How a transaction was observed. */
interface ObservedIn {
  isReversal?: boolean;
  /** The delivery that shows it, if it is not stored yet. */
  arriving?: ArrivingDelivery | undefined;
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
    private readonly accounts: KnownAccounts,
  ) {}

  async record(
    account: string,
    record: TransactionRecord | null,
    key: MoneyKey,
    seen: Transaction,
    { isReversal, arriving }: ObservedIn = {},
  ): Promise<void> {
    const { tillAliases } = this.accounts.of(account);
    for (const { what, warning } of differencesOf(record, key, seen, tillAliases, isReversal)) {
      arriving?.mustBeStored();
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
    const { tillAliases } = this.accounts.of(account);
    const isNamedOnly = sumOf(record, key, tillAliases)?.received === null;
    if (!owner || !isNamedOnly || minorOf(seen) === owner.amountMinor) return;
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
  if (first && !isSameAmount(first, seen)) {
    const warning = 'a transaction was reported again with another amount; the first one is kept';
    differences.push({ what: ANOMALY.anotherAmount, warning });
  }
  const other = record?.sums[0]?.tills[0];
  if (!sum && other !== undefined) differences.push(atSecondTill(key, other));
  return differences;
}

function isSameAmount(one: Transaction, other: Transaction): boolean {
  return one.currency === other.currency && minorOf(one) === minorOf(other);
}

function atSecondTill({ reference, till }: MoneyKey, other: string): Difference {
  const alias = aliasFor(till, other);
  const warning =
    `transaction ${reference} is reported at two tills, ${other} and ${till}, and counts as two sums; ` +
    `if both are one till, set PAYMENTS_TILL_ALIASES=${alias}`;
  return { what: ANOMALY.atTwoTills(alias), warning };
}
