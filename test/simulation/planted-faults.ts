/** One fault that is planted into the library's source, to see whether the simulation finds it. */
export interface PlantedFault {
  name: string;
  /** Path below the root of the repository. */
  file: string;
  /** Text that is in the file exactly once. */
  find: string;
  replace: string;
  /** The rule that must be broken by it. */
  rule: string;
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a change of a payment compares no version',
    file: 'libs/payments/src/ledger/memory/memory-account.ts',
    find: 'if (change.payment && row?.record.version !== change.payment.version) return null;',
    replace: '',
    rule: 'transition',
  },
  {
    name: 'an idempotency key is not looked up',
    file: 'libs/payments/src/ledger/memory/memory-account.ts',
    find: "this.payments.get(this.idsByKey.get(payment.idempotencyKey) ?? '')",
    replace: "this.payments.get('')",
    rule: 'two creates',
  },
  {
    name: 'a create of unknown outcome is sent again',
    file: 'libs/payments/src/resources/platform.client.ts',
    find: "if (outcome.kind !== 'not_sent') return null;",
    replace:
      "if (outcome.kind === 'unknown') return 200;\n  if (outcome.kind !== 'not_sent') return null;",
    rule: 'two creates',
  },
  {
    name: 'a claim of a call ends at once',
    file: 'libs/payments/src/ledger/memory/memory-queue.ts',
    find: 'work.leaseUntil = now + leaseMs;',
    replace: 'work.leaseUntil = now;',
    rule: 'call taken twice',
  },
  {
    name: 'the id of an event depends on how it was learnt',
    file: 'libs/payments/src/ledger/ledger.events.ts',
    find: 'JSON.stringify([account, stream, name, distinction])',
    replace: 'JSON.stringify([account, stream, name, distinction, via])',
    rule: 'event twice',
  },
  {
    name: 'the amount is not compared',
    file: 'libs/payments/src/ledger/payment.judgement.ts',
    find: 'if (!isSameAmount(request.amount, { currency, value: amount })) {',
    replace: 'if (request.amount.value === "0") {',
    rule: 'amount',
  },
  {
    name: 'a match looks for no rival',
    file: 'libs/payments/src/reconciliation/unknown.matcher.ts',
    find: 'if (others.length > 0) {',
    replace: 'if (others.length > 100) {',
    rule: 'wrong money',
  },
  {
    name: 'a delivery is acknowledged before it is stored',
    file: 'libs/payments/src/inbox/inbox.ts',
    find: 'await this.runtime.inTime(',
    replace: 'void this.runtime.inTime(',
    rule: 'till event',
  },
];
