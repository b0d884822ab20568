import type { SimulationFault } from './simulation.faults.js';

const PAYOUTS = 'libs/payments/src/operations/payouts';
const REFUNDS = 'libs/payments/src/operations/refunds';

/** Faults of payouts, refunds and payment links. */
export const MONEY_OUT_FAULTS: readonly SimulationFault[] = [
  {
    name: 'a payout is not compared with open payouts',
    file: `${PAYOUTS}/payouts.service.ts`,
    find: 'guard: payoutGuard(recipients, currency),',
    replace: 'guard: { ...payoutGuard(recipients, currency), keys: [] },',
    rules: ['parallel payout'],
  },
  {
    name: 'only pending payouts prevent another payout',
    file: 'libs/payments/src/ledger/operation.states.ts',
    find: "  'created',\n  'requested',\n  'pending',\n  'unknown',\n  'needs_review',\n];",
    replace: "  'pending',\n];",
    rules: ['parallel payout', 'second refund'],
  },
  {
    name: 'a payout that was paid a moment ago is paid again under another key',
    file: `${PAYOUTS}/payout.guard.ts`,
    find: 'settledWithinMs: PAID_AGAIN_AFTER_MS,',
    replace: 'settledWithinMs: 0,',
    rules: ['parallel payout'],
  },
  {
    name: 'Processed counts as paid',
    file: `${PAYOUTS}/payout.results.ts`,
    find: "if (status === 'Transferred') return 'paid';",
    replace: "if (status === 'Transferred' || status === 'Processed') return 'paid';",
    rules: ['paid without a transfer', 'result forgotten'],
  },
  {
    name: 'a payout fails at the first Cancelled',
    file: `${PAYOUTS}/payout.decision.ts`,
    find: 'const isConfirmed =\n    isRead &&',
    replace: 'const isConfirmed =\n    isRead !== null ||',
    rules: ['failure not confirmed'],
  },
  {
    name: 'a later read that says nothing confirms that a payout failed',
    file: `${PAYOUTS}/payout.decision.ts`,
    find: "(before[index]?.state === 'failed' && assessment.outcomes[index]?.state === 'failed')",
    replace: "before[index]?.state === 'failed'",
    rules: ['failure not confirmed'],
  },
  {
    name: 'disbursements are matched by their place',
    file: `${PAYOUTS}/payout.results.ts`,
    find: 'else group.disbursements.push(disbursement);',
    replace:
      'else groups[shown.indexOf(disbursement) % groups.length]?.disbursements.push(disbursement);',
    rules: [
      'paid without a transfer',
      'reference of another destination',
      'failure not confirmed',
      'needless review',
    ],
  },
  {
    name: 'errors beside Transferred are ignored',
    file: `${PAYOUTS}/payout.results.ts`,
    find: 'const contradiction = faulty\n',
    replace: "const contradiction = faulty?.status === ''\n",
    rules: ['errors ignored', 'paid without a transfer'],
  },
  {
    name: 'a transfer after Cancelled needs no review',
    file: `${PAYOUTS}/payout.decision.ts`,
    find: 'if (paidLater >= 0) {',
    replace: 'if (paidLater >= 1_000) {',
    rules: ['result forgotten', 'payout not recognised'],
  },
  {
    name: 'older evidence of a payout overwrites what is known',
    file: `${PAYOUTS}/payout.decision.ts`,
    find: "if (shown.state === 'open' || (known.state === 'paid' && shown.state === 'failed')) return known;",
    replace: 'if (shown === known) return known;',
    rules: ['result forgotten'],
  },
  {
    name: 'a payout that was paid in part is never read again',
    file: `${PAYOUTS}/payout.decision.ts`,
    find: 'change: { set, dueInMs: FOLLOW_UP_WORK.readFailedMs } };',
    replace: 'change: { set, dueInMs: FOLLOW_UP_WORK.readFailedMs && null } };',
    rules: ['payout not recognised'],
  },
  {
    name: 'a payout is sent without approval',
    file: 'libs/payments/src/ledger/operations.service.ts',
    find: 'const sendBeforeMs = how.isHeld ? NEVER_SENT_MS : how.sendBeforeMs;',
    replace: 'const { sendBeforeMs } = how;',
    rules: ['sent without approval'],
  },
  {
    name: 'who asked for a payout may approve it',
    file: `${PAYOUTS}/payouts.service.ts`,
    find: 'if (approver !== null && isSamePerson(approver, payout.requestedBy))',
    replace: "if (approver === '' && isSamePerson(approver, payout.requestedBy))",
    rules: ['sent without approval'],
  },
  {
    name: 'a payout of unknown outcome is sent again',
    file: `${PAYOUTS}/payout.kind.ts`,
    find: 'return this.resources.of(account).sendMoney.post(request, limit, failures);',
    replace:
      "const { sendMoney } = this.resources.of(account);\n    return sendMoney.post(request, limit, failures).then((outcome) => outcome.kind === 'unknown' ? sendMoney.post(request, limit, failures) : outcome);",
    rules: ['second create'],
  },
  {
    name: 'open payouts do not count for the limit of a day',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: ".filter(({ record }) => record.state !== 'failed')",
    replace: ".filter(({ record }) => record.state === 'succeeded')",
    rules: ['above the limit'],
  },
  {
    name: 'one transaction can be refunded under two keys',
    file: `${REFUNDS}/refunds.service.ts`,
    find: "guardKey('refund', reference)",
    replace: "guardKey('refund', reference, idempotencyKey)",
    rules: ['second refund'],
  },
  {
    name: 'a refund fails at the first Cancelled',
    file: `${REFUNDS}/refund.decision.ts`,
    find: "if (!isRead || seen !== 'failed') {",
    replace: "if (!isRead && seen === 'paid') {",
    rules: ['failure not confirmed'],
  },
  {
    name: 'a refund does not reverse its payment',
    file: 'libs/payments/src/ledger/operation-evidence.service.ts',
    find: 'if (!reversal) return apply();',
    replace: "if (!reversal || via !== 'sweep') return apply();",
    rules: ['reversal ignored'],
  },
  {
    name: 'a refund succeeds before its payment is reversed',
    file: 'libs/payments/src/ledger/operation-evidence.service.ts',
    find: 'if (isOwn) await apply();',
    replace: 'if (!isOwn) await apply();',
    rules: ['reversal ignored'],
  },
  {
    name: 'errors beside a reversal that was Transferred are ignored',
    file: `${REFUNDS}/refund.decision.ts`,
    find: 'if (errors.length > 0) {',
    replace: 'if (errors.length > 1_000) {',
    rules: ['refund without a reversal'],
  },
  {
    name: 'matching ignores payment links',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: '...sentIn(this.candidatesOfAnybody.get(amountKey(amount)), anybodySentFrom),',
    replace: '...sentIn([], anybodySentFrom),',
    rules: ['transaction of another payment', 'charge not recognised'],
  },
  {
    name: 'a cancelled link that is paid later stays cancelled',
    file: 'libs/payments/src/ledger/received-money.decision.ts',
    find: "return { kind: 'review', cause: 'paid_after_failure', detail, transaction, reference };",
    replace:
      "if (operation.kind === 'payment_link') return KEEP;\n    return { kind: 'review', cause: 'paid_after_failure', detail, transaction, reference };",
    rules: ['charge not recognised'],
  },
  {
    name: 'a review of money out that opens again emits no event',
    file: 'libs/payments/src/ledger/operation.changes.ts',
    find: 'return decided ? `${cause} ${detail} ${version}` : `${cause} ${detail}`;',
    replace: 'return decided && version < 0 ? `${cause} ${version}` : `${cause} ${detail}`;',
    rules: ['review not emitted'],
  },
];
