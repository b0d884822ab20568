import { ACCOUNT_FAULTS, SQL_FAULTS } from './planted-faults.accounts.js';
import { MONEY_OUT_FAULTS } from './planted-faults.money-out.js';
import type { SourceFault } from '../support/source.fault.js';

/** A fault that the simulation must find. */
export interface PlantedFault extends SourceFault {
  /** The rules that the fault may break. It counts as found when a history breaks one of them. */
  rules: readonly string[];
  /** Only histories with two accounts can find it. */
  needsTwo?: true;
  /** Only histories on PostgreSQL can find it. */
  store?: 'postgres';
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a change of a payment does not compare versions',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: 'if (row?.record.version !== version) return false;',
    replace: 'if (!row) return false;',
    rules: ['forbidden transition', 'reversal ignored', 'review not emitted'],
  },
  {
    name: 'a change of a transaction does not compare versions',
    file: 'libs/payments/src/stores/memory/transactions/memory-transactions.store.ts',
    find: 'return (this.records.of(account).get(reference)?.version ?? null) === version;',
    replace: 'return this.records.of(account).get(reference)?.version !== version || true;',
    rules: [
      'transaction of two payments',
      'reversal ignored',
      'missing till event',
      'duplicate event',
      'transaction of another payment',
    ],
  },
  {
    name: 'an idempotency key is not looked up',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: "this.rows.get(this.idsByKey.get(keyOf(kind, idempotencyKey)) ?? '')",
    replace: "this.rows.get('')",
    rules: ['second create'],
  },
  {
    name: 'a customer can have two payments in flight',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: 'const rival = fields.allowParallel ? undefined : this.rivalOf(operation);',
    replace: 'const rival = undefined as OperationRecord | undefined;',
    rules: ['parallel payment'],
  },
  {
    name: 'a claim on a payment has no lease',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: "row.claimedUntil = now + (row.record.state === 'created' ? sendLeaseMs : leaseMs);",
    replace: 'row.claimedUntil = now;',
    rules: ['payment claimed twice'],
  },
  {
    name: 'a claim on a call or delivery ends at once',
    file: 'libs/payments/src/stores/memory/memory.queue.ts',
    find: 'work.leaseUntil = this.now() + leaseMs;\n    work.attempts += 1;',
    replace: 'work.leaseUntil = this.now();\n    work.attempts += 1;',
    rules: ['call claimed twice'],
  },
  {
    name: 'a create of unknown outcome is sent again',
    file: 'libs/payments/src/resources/platform.client.ts',
    find: "if (outcome.kind !== 'not_sent') return null;",
    replace:
      "if (outcome.kind === 'unknown') return 200;\n  if (outcome.kind !== 'not_sent') return null;",
    rules: ['second create'],
  },
  {
    name: 'an abandoned attempt can be taken over twice',
    file: 'libs/payments/src/ledger/abandoned.attempts.ts',
    find: 'return this.has(operation) && this.attempts.delete(operation.sender as string);',
    replace: 'return this.has(operation);',
    rules: ['second create', 'charge not recognised'],
  },
  {
    name: 'a lost answer to the commit before sending counts as success',
    file: 'libs/payments/src/ledger/operation.sender.ts',
    find: 'if (!(error instanceof StoreUnavailableError)) throw error;\n        if (',
    replace:
      "if (!(error instanceof StoreUnavailableError)) throw error;\n        return { ...current, state: 'requested', sender };\n        if (",
    rules: [
      'second create',
      'charge not recognised',
      'error after sending',
      'forbidden transition',
    ],
  },
  {
    name: 'a payment is sent after it was given up',
    file: 'libs/payments/src/ledger/operation.sender.ts',
    find: 'this.giveUpSending({ ...current, sender });\n          throw error;',
    replace:
      "this.giveUpSending({ ...current, sender });\n          return { ...current, state: 'requested', sender };",
    rules: ['charge not recognised', 'error after sending', 'second create'],
  },
  {
    name: 'any process sends a payment that is requested',
    file: 'libs/payments/src/ledger/operation.sender.ts',
    find: "if (requested.state !== 'requested' || requested.sender !== sender) return requested;",
    replace: "if (requested.state !== 'requested') return requested;",
    rules: ['second create'],
  },
  {
    name: 'the background sends a payment that request() recorded',
    file: 'libs/payments/src/operations/payments/payments.service.ts',
    find: 'this.requestOnce(() => this.newPayment(input, false), input?.idempotencyKey)',
    replace: 'this.requestOnce(() => this.newPayment(input, true), input?.idempotencyKey)',
    rules: ['sent without a running request'],
  },
  {
    name: 'a payment is sent after its deadline',
    file: 'libs/payments/src/ledger/operation.sender.ts',
    find: 'const limit = new TimeLimit(this.runtime, operation.sendWithinMs);',
    replace: 'const limit = new TimeLimit(this.runtime, 10 * 60_000);',
    rules: ['sent late'],
  },
  {
    name: 'a Retry-After of 0 is obeyed',
    file: 'libs/payments/src/runtime/backoff.ts',
    find: 'leastRetryAfterMs: SECOND,',
    replace: 'leastRetryAfterMs: 0,',
    rules: ['Retry-After ignored'],
  },
  {
    name: 'a payment that was not sent becomes unknown',
    file: 'libs/payments/src/ledger/create-answers.service.ts',
    find: 'return notCharged(operation, sender, outcome);',
    replace:
      "return state === 'requested'\n          ? this.awaited(operation, { state: 'unknown' })\n          : notCharged(operation, sender, outcome);",
    rules: ['unknown without sending'],
  },
  {
    name: 'the id of an event depends on its source',
    file: 'libs/payments/src/ledger/new-event.ts',
    find: 'JSON.stringify([account, stream, name, distinction])',
    replace: 'JSON.stringify([account, stream, name, distinction, via])',
    rules: ['duplicate event'],
  },
  {
    name: 'review events are distinguished by their cause only',
    file: 'libs/payments/src/ledger/operation.kind.ts',
    find: 'return reference === null ? cause : `${cause} ${reference}`;',
    replace: "return reference === '' ? reference : cause;",
    rules: ['review not emitted'],
  },
  {
    name: 'a second transaction emits no event',
    file: 'libs/payments/src/ledger/received-money.decision.ts',
    find: 'return isOwn ? KEEP : secondTransaction(transaction);',
    replace: "return isOwn || reference !== '' ? KEEP : secondTransaction(transaction);",
    rules: ['second transaction not emitted'],
  },
  {
    name: 'a call is acknowledged before its listener runs',
    file: 'libs/payments/src/events/event.dispatcher.ts',
    find: 'const outcome = await this.outcomeOf(call);',
    replace:
      "await this.eventsStore.finishCall(call, { kind: 'done' });\n    const outcome = await this.outcomeOf(call);",
    rules: ['missing listener call'],
  },
  {
    name: 'a delivery is finished before it is applied',
    file: 'libs/payments/src/deliveries/delivery.processor.ts',
    find: 'const outcome = await this.claimOutcomeOf(delivery, message);',
    replace:
      "await this.deliveriesStore.finish(delivery, { kind: 'done' });\n    const outcome = await this.claimOutcomeOf(delivery, message);",
    rules: ['bare result not emitted once', 'missing till event', 'second transaction not emitted'],
  },
  {
    name: 'a delivery is answered before it is stored',
    file: 'libs/payments/src/deliveries/inbox.service.ts',
    find: 'await this.runtime.inTime(',
    replace: 'void this.runtime.inTime(',
    rules: ['bare result not emitted once', 'missing till event', 'second transaction not emitted'],
  },
  {
    name: 'a payment keeps one number of its till only',
    file: 'libs/payments/src/operations/payments/payments.service.ts',
    find: 'tills: joinedTills(complete.tillNumber, tillAliases),',
    replace: 'tills: joinedTills(complete.tillNumber, {}),',
    rules: ['needless review'],
  },
  {
    name: 'aliases are applied when a transaction is stored',
    file: 'libs/payments/src/transactions/transaction.sameness.ts',
    find: 'return [...new Set([...known, ...joinedTills(till, aliases)])];',
    replace: 'return [...new Set([...known, aliases[till] ?? till])];',
    rules: ['duplicate event'],
  },
  {
    name: 'one reference counts as one transaction at all tills',
    file: 'libs/payments/src/transactions/transaction.sameness.ts',
    find: 'if (listed >= 0) return listed;',
    replace: 'if (listed >= 0 || sums.length > 0) return Math.max(0, listed);',
    rules: ['missing till event', 'missing till event after a wrong clock'],
  },
  {
    name: 'matching ignores rivals',
    file: 'libs/payments/src/tills/payment.matcher.ts',
    find: 'if (rivals > 0)',
    replace: 'if (rivals > 1_000)',
    rules: ['transaction of another payment'],
  },
  {
    name: 'matching ignores the payer',
    file: 'libs/payments/src/tills/payment.matcher.ts',
    find: 'if (sum.payerHash === null) {',
    replace: "if (sum.payerHash === '') {",
    rules: ['transaction of another payment'],
  },
  {
    name: 'matching ignores rivals in review',
    file: 'libs/payments/src/ledger/operation.states.ts',
    find: 'return sentAt !== null && (isOpen(state) || FOLLOWED_STATES.includes(state));',
    replace: "return sentAt !== null && (isOpen(state) || state === 'failed');",
    rules: ['transaction of another payment', 'charge not recognised'],
  },
  {
    name: 'matching ignores failed rivals',
    file: 'libs/payments/src/ledger/operation.states.ts',
    find: 'return sentAt !== null && (isOpen(state) || FOLLOWED_STATES.includes(state));',
    replace: "return sentAt !== null && (isOpen(state) || state === 'needs_review');",
    rules: ['transaction of another payment', 'charge not recognised'],
  },
  {
    name: 'matching ignores bare requests',
    file: 'libs/payments/src/tills/payment.matcher.ts',
    find: 'return rivals.length + bare.length;',
    replace: 'return rivals.length + bare.length * 0;',
    rules: ['transaction of another payment'],
  },
  {
    name: 'a read without money excludes a rival at once',
    file: 'libs/payments/src/tills/match-window.ts',
    find: 'const SHOWN_AFTER_MS = 60_000;',
    replace: 'const SHOWN_AFTER_MS = 0;',
    rules: ['transaction of another payment', 'charge not recognised'],
  },
  {
    name: 'a failed payment is never read again',
    file: 'libs/payments/src/ledger/operation.changes.ts',
    find: 'dueInMs: wasSent ? FOLLOW_UP_WORK.readFailedMs : null,',
    replace: 'dueInMs: wasSent ? null : null,',
    rules: ['charge not recognised'],
  },
  {
    name: 'a review that could settle is never read again',
    file: 'libs/payments/src/ledger/decision.changes.ts',
    find: 'dueInMs: isSelfSettling(cause) ? FOLLOW_UP_WORK.hourlyMs : null,',
    replace: 'dueInMs: null,',
    rules: ['needless review'],
  },
  {
    name: 'a reversal during a review is not recorded',
    file: 'libs/payments/src/tills/observed.changes.ts',
    find: 'reversal: reversalOf(before.reversal, reversal ? transaction : null),',
    replace:
      "reversal: owner?.state === 'needs_review' ? before.reversal : reversalOf(before.reversal, reversal ? transaction : null),",
    rules: ['missing till event', 'reversal ignored'],
  },
  {
    name: 'a person may confirm money that was reversed',
    file: 'libs/payments/src/ledger/resolution.ts',
    find: 'if (reversal) {\n    throw refused(`transaction',
    replace: "if (reversal && wanted === '') {\n    throw refused(`transaction",
    rules: ['reversal ignored'],
  },
  {
    name: 'two people may name one reference for two payments',
    file: 'libs/payments/src/ledger/resolution.ts',
    find: 'if (other) throw refused',
    replace: "if (other === '') throw refused",
    rules: ['transaction of two payments'],
  },
  {
    name: 'Success without a transaction counts as success',
    file: 'libs/payments/src/operations/payments/payment.assessment.ts',
    find: "if (!hasReference(resource)) return { kind: 'no_transaction' };",
    replace:
      "if (!hasReference(resource))\n    return { kind: 'succeeded', transaction: { reference: null, tillNumber: null }, notes: [] } as never;",
    rules: ['transaction never made'],
  },
  {
    name: 'the amount is not compared',
    file: 'libs/payments/src/operations/payments/payment.assessment.ts',
    find: 'if (!isSameAmount(request.amount, { currency, value: amount })) {',
    replace: 'if (request.amount.value === "0") {',
    rules: ['other amount'],
  },
  {
    name: 'the till is not compared',
    file: 'libs/payments/src/operations/payments/payment.assessment.ts',
    find: "if (!isSameTill(tillNumber ?? '', request.tills, aliases)) {",
    replace: "if (tillNumber === '') {",
    rules: ['other till'],
  },
  {
    name: 'the topic of a webhook counts as proof',
    file: 'libs/payments/src/deliveries/delivery.parser.ts',
    find: 'if (!isAccepted(topic, status, accepted))',
    replace: "if (topic === '')",
    rules: ['transaction never made'],
  },
  {
    name: 'a reversal at a till emits no event',
    file: 'libs/payments/src/tills/observed.changes.ts',
    find: 'if (reversal && after.reversalAnnounced && !before.reversalAnnounced) {',
    replace:
      "if (reversal && after.reversalAnnounced && !before.reversalAnnounced && via === 'callback') {",
    rules: ['missing till event'],
  },
  {
    name: 'the watermark moves before the window is read',
    file: 'libs/payments/src/reconciliation/sweep.schedule.ts',
    find: 'if (!(await this.sweeper.sweep(account, new Date(start), end, sweepFrom))) return false;',
    replace:
      'await this.sweepsStore.save(account, this.owner, { watermark: end, recoveredAt });\n      await this.sweeper.sweep(account, new Date(start), end, sweepFrom);',
    rules: [
      'missing till event',
      'duplicate allowed too early',
      'parallel payment',
      'transaction of another payment',
      'charge not recognised',
    ],
  },
  {
    name: "sweeps begin by the process's own clock",
    file: 'libs/payments/src/reconciliation/sweep.schedule.ts',
    find: 'this.clocks.of(account).now().getTime() - sinceStartMs',
    replace: 'this.runtime.now() - sinceStartMs',
    rules: ['missing till event', 'missing till event after a wrong clock'],
  },
  {
    name: 'a callback that only its URL verifies settles a payment',
    file: 'libs/payments/src/deliveries/callback-results.service.ts',
    find: 'if (isSigned) {\n      await',
    replace: 'if (isSigned || delivery.id) {\n      await',
    rules: ['transaction never made'],
  },
  {
    name: 'a webhook that only its URL verifies counts as proof',
    file: 'libs/payments/src/deliveries/webhook-transactions.service.ts',
    find: "if (delivery.verifiedBy === 'signature' ||",
    replace: 'if (delivery.verifiedBy !== undefined ||',
    rules: ['transaction never made'],
  },
  {
    name: 'a payment without evidence never goes to review',
    file: 'libs/payments/src/reconciliation/overdue-operations.reconciler.ts',
    find: 'return operation.ageMs > this.reviewTime(operation).afterMs;',
    replace: 'return operation.ageMs < 0;',
    rules: ['not settled', 'endless history'],
  },
  {
    name: 'a payment is read every second',
    file: 'libs/payments/src/runtime/backoff.ts',
    find: 'return runtime.jittered(Math.max(0, wait));',
    replace: 'return wait < 0 ? runtime.jittered(0) : 1_000;',
    rules: ['unbounded work'],
  },
  {
    name: 'settled() goes on reading after its timeout',
    file: 'libs/payments/src/ledger/operations.service.ts',
    find: '      takeUntil(late$),\n',
    replace: '',
    rules: ['unbounded work'],
  },
  {
    name: 'success emits no event',
    file: 'libs/payments/src/operations/payments/payment.kind.ts',
    find: "return paymentEvent('payment.succeeded', subject, { payment, transaction });",
    replace:
      "return transaction.reference === '' ? paymentEvent('payment.succeeded', subject, { payment, transaction }) : null;",
    rules: ['missing event'],
  },
  {
    name: 'failure emits no event',
    file: 'libs/payments/src/operations/payments/payment.kind.ts',
    find: "return paymentEvent('payment.failed', subject, content);",
    replace: "return errors.length < 0 ? paymentEvent('payment.failed', subject, content) : null;",
    rules: ['missing event'],
  },
  {
    name: 'a reversed payment emits no event',
    file: 'libs/payments/src/operations/payments/payment.kind.ts',
    find: "return paymentEvent('payment.reversed', subject, { payment, transaction });",
    replace:
      "return transaction.reference === '' ? paymentEvent('payment.reversed', subject, { payment, transaction }) : null;",
    rules: ['missing event'],
  },
  {
    name: 'events of one payment reach a listener in any order',
    file: 'libs/payments/src/stores/memory/events/memory-events.ts',
    find: 'if (left < 1 || !this.isFirst(call)) return false;',
    replace: 'if (left < 1) return false;',
    rules: ['event order'],
  },
  {
    name: 'a window that was not swept counts as swept',
    file: 'libs/payments/src/reconciliation/overdue-operations.reconciler.ts',
    find: 'if (!(await this.covers(operation, readyAt))) return operation;',
    replace:
      'if (!hasPlatformId(operation) && !(await this.covers(operation, readyAt))) return operation;',
    rules: ['duplicate allowed too early'],
  },
  {
    name: 'a review without an id is never matched again',
    file: 'libs/payments/src/reconciliation/settled-operations.follower.ts',
    find: 'else if (isPayment(operation) && isDecidable(operation) && (await this.isListed(operation)))',
    replace: "else if (isPayment(operation) && operation.id === '')",
    rules: ['needless review'],
  },
  {
    name: 'a customer can have two payments in flight at two numbers of one till',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: 'tills.some((till) => operation.tills.includes(till)),',
    replace: 'tills[0] === operation.tills[0],',
    rules: ['parallel payment'],
  },
  {
    name: 'no look finds an open operation that is due',
    file: 'libs/payments/src/stores/memory/due-work/memory-due-work.store.ts',
    find: 'open: isAny(operations, (own) => own.waiting(false)),',
    replace: 'open: false,',
    rules: ['not settled', 'charge not recognised'],
  },
  {
    name: 'no look finds a webhook that is due',
    file: 'libs/payments/src/stores/memory/due-work/memory-due-work.store.ts',
    find: "webhooks: isAny(deliveries, (own) => own.waiting('webhook')),",
    replace: 'webhooks: false,',
    rules: ['missing till event'],
  },
  {
    name: 'an idle process looks no more',
    file: 'libs/payments/src/runtime/work.lookout.ts',
    find: 'if (this.claimers.size > 0) this.setTimer();',
    replace: 'if (this.claimers.size > 0 && this.idleLooks < 2) this.setTimer();',
    rules: ['not settled', 'charge not recognised', 'missing listener call', 'missing till event'],
  },
  ...MONEY_OUT_FAULTS,
  ...ACCOUNT_FAULTS.map((fault) => ({ ...fault, needsTwo: true as const })),
  ...SQL_FAULTS.map((fault) => ({ ...fault, needsTwo: true as const, store: 'postgres' as const })),
];
