import type { SourceFault } from './source.fault.js';

/** A fault that a test must find which stands beside the source, or in the contract of stores. */
export interface SpecFault extends SourceFault {
  /** The file of the test. */
  spec: string;
  /** Text in the name of the test. */
  test: string;
}

const LEDGER = 'libs/payments/src/ledger';
const SENDER = {
  file: 'libs/payments/src/send/operation-sender.ts',
  spec: 'libs/payments/src/send/operation-sender.spec.ts',
};
const PAYOUTS = {
  file: 'libs/payments/src/operations/payouts/payout-decision.ts',
  spec: 'libs/payments/src/operations/payouts/payout-decision.spec.ts',
};
const MEMORY = 'test/contracts/memory-store.spec.ts';
const SQL = 'libs/postgres/src/generated/sql.ts';
const POSTGRES = 'libs/postgres/src/postgres.store.spec.ts';
const GUARDS = 'libs/postgres/src/operations/guards.spec.ts';

const LOOK_AFTER_LOCKS = 'if p_answer is not null then\\n      -- If it is this very';

const IN_HOST = 'libs/postgres/src/host/host-transaction.spec.ts';
const CALLS_IN_HOST = {
  file: 'libs/postgres/src/events/postgres-events.store.ts',
  spec: 'libs/postgres/src/events/calls-in-host-transactions.spec.ts',
};

export const SPEC_FAULTS: readonly SpecFault[] = [
  {
    name: 'a payment is recorded outside the transaction of the host',
    file: SQL,
    find: 'p_operation jsonb, p_wait_ms float8, p_late_ms float8)\\nreturns text language plpgsql volatile as $body$\\ndeclare\\n  p_result jsonb;\\nbegin\\n  if pg_current_xact_id()::text <> p_transaction then',
    replace:
      'p_operation jsonb, p_wait_ms float8, p_late_ms float8)\\nreturns text language plpgsql volatile as $body$\\ndeclare\\n  p_result jsonb;\\nbegin\\n  if false then',
    spec: IN_HOST,
    test: 'is refused before anything is written when its client has not begun one',
  },
  {
    ...CALLS_IN_HOST,
    name: 'a listener is called although another process has its call',
    find: 'if (!isEnded) return;',
    replace: '',
    test: 'is not made when another process has claimed it since',
  },
  {
    ...CALLS_IN_HOST,
    name: 'a transaction that its listener has ended counts as committed',
    find: 'await open.assertOpen();',
    replace: '',
    test: 'has not ended when its listener has ended the transaction itself',
  },
  {
    ...CALLS_IN_HOST,
    name: 'a host with another database is let in',
    find: 'if (isHeld) return;',
    replace: 'if (isHeld || !isHeld) return;',
    test: 'is refused at the start',
  },
  {
    name: 'an effect is made again',
    file: SQL,
    find: "when event_id is null then 'again' else 'first' end",
    replace: "else 'first' end",
    spec: 'libs/postgres/src/effects/first-time.spec.ts',
    test: 'is the first that commits, and no other one after it',
  },
  {
    name: 'a call in a transaction of the host is made by nobody',
    file: 'libs/payments/src/listeners/listener-caller.ts',
    find: "if (isEnded) return 'ended';",
    replace: "return 'ended';",
    spec: 'libs/payments/src/listeners/listener-caller.spec.ts',
    test: 'is not made when it belongs to another process, and says so',
  },
  {
    name: 'the transaction of evidence with another platform id is compared',
    file: `${LEDGER}/ledger.ts`,
    find: 'isComparable && attempt === 0 ? money : null;',
    replace: 'attempt === 0 ? money : null;',
    spec: `${LEDGER}/ledger.spec.ts`,
    test: 'does not compare the transaction of evidence that has another platform id',
  },
  {
    name: 'a callback that says Failed denies money from before it',
    file: `${LEDGER}/ledger.ts`,
    find: "const denied = via === 'status' && kind.denies(assessment)",
    replace: 'const denied = kind.denies(assessment)',
    spec: `${LEDGER}/ledger.spec.ts`,
    test: 'denies no money because of a callback that says Failed',
  },
  {
    name: 'a read that says Failed denies no money',
    file: `${LEDGER}/ledger.ts`,
    find: "const denied = via === 'status' && kind.denies(assessment)",
    replace: "const denied = via === 'sweep' && kind.denies(assessment)",
    spec: `${LEDGER}/ledger.spec.ts`,
    test: 'denies money from before a read that says Failed',
  },
  {
    ...SENDER,
    name: 'request() asks a store that is away as long as the payment may be sent',
    find: 'operation.inBackground ? limit.leftMs : Math.min(limit.leftMs, ASK_STORE_MS),',
    replace: 'limit.leftMs,',
    test: 'of request() ends in an error after ten seconds',
  },
  {
    ...SENDER,
    name: 'the background asks a store that is away no longer than request()',
    find: 'operation.inBackground ? limit.leftMs : Math.min(limit.leftMs, ASK_STORE_MS),',
    replace: 'Math.min(limit.leftMs, ASK_STORE_MS),',
    test: 'of record() is tried as long as it may be sent',
  },
  {
    ...SENDER,
    name: 'a late process fails a payment that another process sends',
    find: "const ours = operation.state === 'created' || operation.sender === sender;",
    replace: 'const ours = sender !== null;',
    test: 'stays as it is when another process sends it',
  },
  {
    name: 'nobody gives up a payment that was recorded as requested without an answer',
    file: 'libs/payments/src/send/operation-recorder.ts',
    find: 'this.sender.giveUp(request, options.mark.sender);',
    replace: '',
    spec: 'libs/payments/src/ledger/unanswered.recording.spec.ts',
    test: 'fails as not sent when the store is away, as soon as it is back',
  },
  {
    name: 'a transaction that was reported at two tills is matched',
    file: 'libs/payments/src/tills/payment-matcher.ts',
    find: 'if (found.sums > 1)',
    replace: 'if (found.sums < 1)',
    spec: 'libs/payments/src/tills/payment-matcher.spec.ts',
    test: 'was also reported at another till, where it does not fit',
  },
  {
    ...PAYOUTS,
    name: 'a payout loses the reference of a transfer when a later result names none',
    find: 'const transactionReference = shown.transactionReference ?? earlier.transactionReference;',
    replace: 'const { transactionReference } = shown;',
    test: 'that names another transfer to a destination sends it to review, also after one that names none',
  },
  {
    ...PAYOUTS,
    name: 'a payout in review does not learn the reference of its first transfer',
    find: 'transactionReference: earlier.transactionReference ?? shown.transactionReference,',
    replace: 'transactionReference: earlier.transactionReference,',
    test: 'during a review is a contradiction, also when the first result named none',
  },
  {
    ...PAYOUTS,
    name: 'the failure of one of two equal destinations stands when one of them is paid',
    find: "earlier.state === 'failed' && newlyPaid.has(names[index] as string)",
    replace: "earlier.state === 'failed' && newlyPaid.size > names.length",
    test: 'needs a new confirmation when one of two equal destinations is paid alone, because that may be the one that had failed',
  },
  {
    name: 'a decision on a review is made without a read',
    file: 'libs/payments/src/send/operations.service.ts',
    find: "if (state === 'created' || isFinal(state)) return apply(operation);",
    replace: 'if (!isOpen(state)) return apply(operation);',
    spec: 'libs/payments/src/operations/decided-money-out.spec.ts',
    test: 'does not deny a payout that the platform shows as paid by then, when many are decided',
  },
  {
    name: 'what only a list showed counts as judged when the own result says it',
    file: 'libs/payments/src/ledger/assessment.ts',
    find: "return evidenceDigest('listed', ...factsOf(transaction));",
    replace: 'return proofDigest(transaction);',
    spec: 'libs/payments/src/operations/standing-decisions.spec.ts',
    test: 'on a payment that several transactions fit, as failed, is asked for again when its own result comes, because only that says whose money it is',
  },
  {
    name: 'the first report of a reversal is final',
    file: 'libs/payments/src/tills/observed-changes.ts',
    find: 'reversal: saysMore ? shown : earlier,',
    replace: 'reversal: earlier,',
    spec: 'libs/payments/src/tills/differing-reports.spec.ts',
    test: 'of all the money, after a report of a part, reverses the payment, and all the money is counted',
  },
  {
    name: 'redaction deletes the guard of a refund in memory',
    file: 'libs/payments/src/memory/memory-guards.ts',
    find: 'row.guardKeys.filter(isLasting)',
    replace: '[]',
    spec: MEMORY,
    test: 'that were paid refuse for ever with a key that says so, also after retention',
  },
  {
    name: 'SQL: redaction deletes the guard of a refund',
    file: SQL,
    find: 'except select unnest(lasting_keys)',
    replace: "except select unnest('{}'::bytea[])",
    spec: POSTGRES,
    test: 'that were paid refuse for ever with a key that says so, also after retention',
  },
  {
    name: 'SQL: failed payments are no candidates of a transaction without a payer',
    file: SQL,
    find: 'where given.payer is null and failed_money = wanted.money',
    replace: 'where given.payer is null and failed_money is null and failed_money = wanted.money',
    spec: POSTGRES,
    test: 'include failed payments of everybody for a transaction that does not show its payer',
  },
  {
    name: 'SQL: failed links are no candidates',
    file: SQL,
    find: "where failed_money = 'any ' || wanted.money",
    replace: "where failed_money is null and failed_money = 'any ' || wanted.money",
    spec: POSTGRES,
    test: 'include failed links, which anybody may have paid',
  },
  {
    name: 'SQL: a key is not looked up again after the lock of a guard',
    file: SQL,
    find: LOOK_AFTER_LOCKS,
    replace:
      "if p_answer is not null and p_operation ? 'dailyLimitMinor' then\\n      -- If it is this very",
    spec: GUARDS,
    test: 'a repeated key that waits for the guard of its first request',
  },
  {
    name: 'SQL: a key is not looked up again after the lock of the limit of a day',
    file: SQL,
    find: LOOK_AFTER_LOCKS,
    replace:
      "if p_answer is not null and not p_operation ? 'dailyLimitMinor' then\\n      -- If it is this very",
    spec: GUARDS,
    test: 'a repeated key that waits for the limit of a day',
  },
  {
    name: 'SQL: a recording loses what failed, and may come back into review',
    file: SQL,
    find: "state <> all ('{succeeded,reversed}') or counted",
    replace: "state <> all ('{succeeded,reversed,failed}') or counted",
    spec: POSTGRES,
    test: 'that were failed refuse another again when they come back into review',
  },
  {
    name: 'retention ends the guard of what has no outcome',
    file: 'libs/payments/src/memory/memory-retention.store.ts',
    find: 'if (!isFinal(record.state) || !isChosen(record)) continue;\n      const age',
    replace: 'if (!isChosen(record)) continue;\n      const age',
    spec: MEMORY,
    test: 'that are pending refuse another with an equal key however old they are, also after retention',
  },
  {
    name: 'SQL: retention ends the guard of what has no outcome',
    file: SQL,
    find: "account = $1 and not redacted and state in ('succeeded', 'partially_succeeded', 'failed', 'reversed')\\n    and updated_at",
    replace: 'account = $1 and not redacted\\n    and updated_at',
    spec: POSTGRES,
    test: 'that are pending refuse another with an equal key however old they are, also after retention',
  },
  {
    name: 'SQL: an approval does not ask what is in its way',
    file: SQL,
    find: 'if p_asked is not null and :fn.refusal_of(p_asked) is not null then',
    replace: 'if p_asked is not null and :fn.refusal_of(p_asked) is null and false then',
    spec: POSTGRES,
    test: 'is refused its approval by an operation with an equal key',
  },
  {
    name: 'a claim whose outcome was never stored is an attempt of its own',
    file: 'libs/payments/src/memory/memory-queue.ts',
    find: 'if (work.token === null) work.attempts += 1;',
    replace: 'work.attempts += 1;',
    spec: MEMORY,
    test: 'whose outcome was never stored is no attempt of its own',
  },
  {
    name: 'SQL: a claim whose outcome was never stored is an attempt of its own',
    file: SQL,
    find: 'set attempts = attempts + (token is null)::integer, token',
    replace: 'set attempts = attempts + 1, token',
    spec: POSTGRES,
    test: 'whose outcome was never stored is no attempt of its own',
  },
  {
    name: 'a call that was left unmade is an attempt',
    file: 'libs/payments/src/listeners/event-dispatcher.ts',
    find: 'await this.eventsStore.renewCalls([call], 0);',
    replace: "await this.eventsStore.finishCall(call, { kind: 'retry', inMs: 0, error: 'late' });",
    spec: 'libs/payments/src/listeners/event-dispatcher.claims.spec.ts',
    test: 'by leaving it to whoever claims it next, which counts as no attempt',
  },
  {
    name: 'an id that a bundler has changed is that of a new listener',
    file: 'libs/payments/src/listeners/built-ids.ts',
    find: "if (same) return [{ kind: 'built', own: listener, old: same }];",
    replace: 'if (same) return [];',
    spec: 'libs/payments/src/listeners/built-ids.spec.ts',
    test: 'is made by a bundler when its class is',
  },
  {
    name: 'SQL: a listener keeps the start that has registered it first',
    file: SQL,
    find: 'do update set start = excluded.start',
    replace: 'do nothing',
    spec: POSTGRES,
    test: 'has the start of the process that registered it last',
  },
  {
    name: 'a reference that a person named and another till reports asks nobody',
    file: 'libs/payments/src/tills/observed-changes.ts',
    find: "if (own.provenance !== 'operation' && !(decided && !isEvidenced(own))) return null;",
    replace: "if (own.provenance !== 'operation') return null;",
    spec: 'libs/payments/src/tills/till-ledger.spec.ts',
    test: 'asks a person once, and belongs to nobody until that person has answered',
  },
  {
    name: 'a person can name the reference of another payment that a till has not reported',
    file: `${LEDGER}/resolution.ts`,
    find: 'ownerAmong([...atOwnTill, ...sums], operation.id);',
    replace: 'ownerAmong(sums, operation.id);',
    spec: 'libs/payments/src/tills/till-ledger.spec.ts',
    test: 'can be named for no other payment',
  },
];
