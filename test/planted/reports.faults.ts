import type { SimulationFault } from './simulation.faults.js';

const LEDGER = 'libs/payments/src/ledger';
const TILLS = 'libs/payments/src/tills';

/** Faults in what becomes of reports that are unreadable, that contradict each other, or that say that only a part went back. */
export const REPORT_FAULTS: readonly SimulationFault[] = [
  {
    name: 'a reversal of a part reverses the payment',
    file: `${TILLS}/observed-changes.ts`,
    find: "after.reversal !== null && wentBack(after.reversal, money) === 'all';",
    replace: 'after.reversal !== null;',
    rules: ['part counted as whole'],
  },
  {
    name: 'a reversal of a part asks nobody',
    file: `${TILLS}/observed-changes.ts`,
    find: "if (!money || !isEvidenced(transaction) || wentBack(transaction, money) === 'all') return null;",
    replace: "if (!money || money.amount !== '') return null;",
    rules: ['nobody asked about a part'],
  },
  {
    name: 'a part that the own result of a payment shows is the whole',
    file: `${LEDGER}/decisions.ts`,
    find: 'if (part !== null)',
    replace: "if (part === '')",
    rules: ['part counted as whole'],
  },
  {
    name: 'a refund after a part is of the whole',
    file: 'libs/payments/src/operations/refunds/refunds.service.ts',
    find: 'const rest = BigInt(amountMinor) - BigInt(back);',
    replace: 'const rest = BigInt(amountMinor) - 0n * BigInt(back);',
    rules: ['refund of another amount'],
  },
  {
    name: 'a refund does not compare the amount that went back',
    file: 'libs/payments/src/operations/refunds/refund.kind.ts',
    find: '!isSameAmount(refund.amount, { currency, value: transfer.amount })',
    replace: "transfer.amount === ''",
    rules: ['refund of another amount'],
  },
  {
    name: 'the totals count a part that went back as the whole',
    file: `${LEDGER}/movement-totals.ts`,
    find: "return minor === 'all'",
    replace: "return minor !== ''",
    rules: ['totals differ'],
  },
  {
    name: 'a till that differs from the payment asks nobody',
    file: `${TILLS}/observed-changes.ts`,
    find: 'const difference = received && amountsDiffer(reference, received, transaction);',
    replace: 'const difference = received && amountsDiffer(reference, received, received);',
    rules: ['nobody asked about reports that differ'],
  },
  {
    name: 'a result that differs from the till is a success',
    file: `${LEDGER}/decisions.ts`,
    find: 'const difference = received && amountsDiffer(reference, received, shown);',
    replace: 'const difference = received && amountsDiffer(reference, shown, shown);',
    rules: ['nobody asked about reports that differ'],
  },
  {
    name: 'a reference that is used again is no anomaly',
    file: `${LEDGER}/transaction-differences.ts`,
    find: 'if (money && !isReversal && isUsedAgain(money, seen))',
    replace: "if (money && money.reference === '')",
    rules: ['nothing said of a reference that is used again'],
  },
  {
    name: 'an unreadable item is no anomaly',
    file: `${LEDGER}/transaction-differences.ts`,
    find: 'if (!isReversal && isEvidenced(seen))',
    replace: "if (!isReversal && seen.reference === '')",
    rules: ['nothing said of an unreadable item'],
  },
  {
    name: 'a time before 2010 is read',
    file: 'libs/payments/src/money/timestamp.ts',
    find: 'at >= EARLIEST && at <= latest',
    replace: 'at >= EARLIEST - 1e15 && at <= latest',
    rules: ['nothing said of an unreadable item'],
  },
];
