import type { SourceFault } from './source.fault.js';

/** A fault that an attack must find. */
export interface AttackFault extends SourceFault {
  /** The attack that finds it, and how it is run. */
  run: readonly string[];
  /** The report of the attack must match this. */
  problem: RegExp;
}

export const ATTACK_FAULTS: readonly AttackFault[] = [
  {
    name: 'any signature of the right form is accepted',
    file: 'libs/payments/src/door/signature.ts',
    find: 'let valid = false;',
    replace: 'let valid = true;',
    run: ['--short', '--only', 'mutated'],
    problem: /false accept: 200/,
  },
  {
    name: 'a topic counts as proof',
    file: 'libs/payments/src/inbox/delivery-parser.ts',
    find: 'if (!isAccepted(topic, status, accepted))',
    replace: "if (topic === '')",
    run: ['--deliveries', '20000', '--only', 'mutated'],
    problem: /false accept: \{"name":"till/,
  },
  {
    name: 'a body may be nested as deep as it likes',
    file: 'libs/payments/src/money/json.ts',
    find: 'const MOST_LEVELS = 64;',
    replace: 'const MOST_LEVELS = 1e9;',
    run: ['--short', '--only', 'deep'],
    problem: /logged an error|false accept|no event/,
  },
  {
    name: 'a body may take as long as it likes',
    file: 'libs/payments/src/door/raw-body.ts',
    find: "setTimeout(() => end({ refused: 'slow' }), withinMs)",
    replace: "setTimeout(() => end({ refused: 'slow' }), withinMs * 1000)",
    run: ['--short', '--only', 'never end'],
    problem: /was not answered/,
  },
  {
    name: 'the bodies that arrive have no limit together',
    file: 'libs/payments/src/door/raw-body.ts',
    find: 'const MOST_BYTES_AT_ONCE = 16 * 1024 * 1024;',
    replace: 'const MOST_BYTES_AT_ONCE = Infinity;',
    run: ['--only', 'never end'],
    problem: /the memory rose/,
  },
  {
    name: 'the newest body is refused when the memory is full',
    file: 'libs/payments/src/door/raw-body.ts',
    find: 'for (const oldest of this.incoming) {',
    replace: 'for (const oldest of [...this.incoming].reverse()) {',
    run: ['--short', '--only', 'fill the memory'],
    problem: /a signed delivery to .* was answered 503/,
  },
  {
    name: 'every amount is ten times what was signed',
    file: 'libs/payments/src/platform/transaction.resource.ts',
    find: "amount: readAmountValue(raw['amount'], currency),",
    replace: "amount: readAmountValue(Number(raw['amount']) * 10, currency),",
    run: ['--short', '--only', 'mutated'],
    problem: /false accept: \{"name":"till/,
  },
  {
    name: 'a signed result of a payment is acknowledged and dropped',
    file: 'libs/payments/src/ledger/arriving-delivery.ts',
    find: 'await commits.commitWithDelivery(change, after, this.delivery, DELIVERY_LEASE_MS);',
    replace: "{ kind: 'committed' } as never;",
    run: ['--short', '--only', 'mutated'],
    problem: /no event payment\.succeeded/,
  },
  {
    name: 'every refusal is logged',
    file: 'libs/payments/src/runtime/logging.ts',
    find: 'now - last.at < SELDOM_EVERY_MS',
    replace: 'now < 0',
    run: ['--short', '--only', 'mutated'],
    problem: /warnings of one cause/,
  },
];
