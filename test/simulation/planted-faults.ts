/** One fault that is planted into the library's source, to see whether the simulation finds it. */
export interface PlantedFault {
  name: string;
  /** Path below the root of the repository. */
  file: string;
  /** Text that is in the file exactly once. */
  find: string;
  replace: string;
  /** The rules that it may break; one of them must be. */
  rules: readonly string[];
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a change of a payment compares no version',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: 'if (row?.record.version !== version) return false;',
    replace: 'if (!row) return false;',
    rules: ['transition', 'reversal', 'review not emitted'],
  },
  {
    name: 'a change of a transaction compares no version',
    file: 'libs/payments/src/stores/memory/transactions/memory-transactions.store.ts',
    find: 'return (this.records.of(account).get(reference)?.version ?? null) === version;',
    replace: 'return this.records.of(account).get(reference)?.version !== version || true;',
    rules: ['money of two', 'reversal', 'till event', 'event twice', 'wrong money'],
  },
  {
    name: 'an idempotency key is not looked up',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: "this.payments.get(this.idsByKey.get(payment.idempotencyKey) ?? '')",
    replace: "this.payments.get('')",
    rules: ['two creates'],
  },
  {
    name: 'the same customer is asked twice at once',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: 'const rival = payment.allowParallel ? undefined : this.rivalOf(payment);',
    replace: 'const rival = undefined as PaymentRecord | undefined;',
    rules: ['parallel'],
  },
  {
    name: 'a claim of a payment is no lease',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: "row.claimedUntil = now + (row.record.state === 'created' ? sendLeaseMs : leaseMs);",
    replace: 'row.claimedUntil = now;',
    rules: ['payment claimed twice'],
  },
  {
    name: 'a claim of a call or delivery ends at once',
    file: 'libs/payments/src/stores/memory/memory.queue.ts',
    find: 'work.leaseUntil = now + leaseMs;',
    replace: 'work.leaseUntil = now;',
    rules: ['call claimed twice'],
  },
  {
    name: 'a create of unknown outcome is sent again',
    file: 'libs/payments/src/resources/platform.client.ts',
    find: "if (outcome.kind !== 'not_sent') return null;",
    replace:
      "if (outcome.kind === 'unknown') return 200;\n  if (outcome.kind !== 'not_sent') return null;",
    rules: ['two creates'],
  },
  {
    name: 'a lost answer to the commit before sending is taken for made',
    file: 'libs/payments/src/operations/payments/payment.sender.ts',
    find: 'if (!(error instanceof StoreUnavailableError)) throw error;\n        if (',
    replace:
      "if (!(error instanceof StoreUnavailableError)) throw error;\n        return { ...current, state: 'requested', sender };\n        if (",
    rules: ['two creates', 'charged', 'error after sending', 'transition'],
  },
  {
    name: 'a payment that is given up is sent all the same',
    file: 'libs/payments/src/operations/payments/payment.sender.ts',
    find: 'this.giveUpSending({ ...current, sender });\n          throw error;',
    replace:
      "this.giveUpSending({ ...current, sender });\n          return { ...current, state: 'requested', sender };",
    rules: ['charged', 'error after sending', 'two creates'],
  },
  {
    name: 'whoever finds it requested sends it',
    file: 'libs/payments/src/operations/payments/payment.sender.ts',
    find: "if (requested.state !== 'requested' || requested.sender !== sender) return requested;",
    replace: "if (requested.state !== 'requested') return requested;",
    rules: ['two creates'],
  },
  {
    name: 'the background sends what request() recorded',
    file: 'libs/payments/src/operations/payments/payments.service.ts',
    find: 'const payment = await this.recordOnce(input, { inBackground: false });',
    replace: 'const payment = await this.recordOnce(input, { inBackground: true });',
    rules: ['sent without a living request'],
  },
  {
    name: 'a payment is sent after its time',
    file: 'libs/payments/src/operations/payments/payment.sender.ts',
    find: 'const limit = new TimeLimit(this.runtime, payment.sendWithinMs);',
    replace: 'const limit = new TimeLimit(this.runtime, 10 * 60_000);',
    rules: ['sent late'],
  },
  {
    name: 'a Retry-After of 0 is obeyed',
    file: 'libs/payments/src/runtime/backoff.ts',
    find: 'leastRetryAfterMs: SECOND,',
    replace: 'leastRetryAfterMs: 0,',
    rules: ['impatient'],
  },
  {
    name: 'what was not sent is written as unknown',
    file: 'libs/payments/src/ledger/create-answers.service.ts',
    find: 'return notCharged(operation, sender, outcome);',
    replace:
      "return state === 'requested'\n          ? this.awaited(operation, { state: 'unknown' })\n          : notCharged(operation, sender, outcome);",
    rules: ['unknown'],
  },
  {
    name: 'the id of an event depends on how it was learnt',
    file: 'libs/payments/src/ledger/new-event.ts',
    find: 'JSON.stringify([account, stream, name, distinction])',
    replace: 'JSON.stringify([account, stream, name, distinction, via])',
    rules: ['event twice'],
  },
  {
    name: 'a review event is distinguished by its cause only',
    file: 'libs/payments/src/operations/payments/payment.kind.ts',
    find: 'const distinction = reference === null ? cause : `${cause} ${reference}`;',
    replace: "const distinction: string = reference === '' ? reference : cause;",
    rules: ['review not emitted'],
  },
  {
    name: 'a second transaction emits no event',
    file: 'libs/payments/src/operations/payments/payment.decision.ts',
    find: 'return isOwn ? KEEP : secondTransaction(transaction);',
    replace: "return isOwn || reference !== '' ? KEEP : secondTransaction(transaction);",
    rules: ['second transaction'],
  },
  {
    name: 'an acknowledgement comes before the listener',
    file: 'libs/payments/src/events/event.dispatcher.ts',
    find: 'await this.acknowledge(call, await this.outcomeOf(call));',
    replace:
      "await this.eventsStore.finishCall(call, { kind: 'done' });\n      await this.acknowledge(call, await this.outcomeOf(call));",
    rules: ['listener'],
  },
  {
    name: 'a delivery is finished before it is applied',
    file: 'libs/payments/src/deliveries/delivery.processor.ts',
    find: 'const outcome = await this.claimOutcomeOf(delivery, message);',
    replace:
      "await this.deliveriesStore.finish(delivery, { kind: 'done' });\n    const outcome = await this.claimOutcomeOf(delivery, message);",
    rules: ['bare result', 'till event', 'second transaction'],
  },
  {
    name: 'a delivery is answered before it is stored',
    file: 'libs/payments/src/deliveries/inbox.service.ts',
    find: 'await this.runtime.inTime(',
    replace: 'void this.runtime.inTime(',
    rules: ['bare result', 'till event', 'second transaction'],
  },
  {
    name: 'a payment keeps one number of its till',
    file: 'libs/payments/src/operations/payments/payments.service.ts',
    find: 'tills: joinedTills(complete.tillNumber, tillAliases),',
    replace: 'tills: joinedTills(complete.tillNumber, {}),',
    rules: ['review without a reason'],
  },
  {
    name: 'aliases are applied when money is stored',
    file: 'libs/payments/src/transactions/transaction.sameness.ts',
    find: 'return [...new Set([...known, ...joinedTills(till, aliases)])];',
    replace: 'return [...new Set([...known, aliases[till] ?? till])];',
    rules: ['event twice'],
  },
  {
    name: 'one reference is one sum whatever its till',
    file: 'libs/payments/src/transactions/transaction.sameness.ts',
    find: 'if (listed >= 0) return listed;',
    replace: 'if (listed >= 0 || sums.length > 0) return Math.max(0, listed);',
    rules: ['till event', 'till event after a wrong clock'],
  },
  {
    name: 'a match looks for no rival',
    file: 'libs/payments/src/tills/payment.matcher.ts',
    find: 'if (rivals > 0)',
    replace: 'if (rivals > 1_000)',
    rules: ['wrong money'],
  },
  {
    name: 'a match asks not who paid',
    file: 'libs/payments/src/tills/payment.matcher.ts',
    find: 'if (sum.payerHash === null) {',
    replace: "if (sum.payerHash === '') {",
    rules: ['wrong money'],
  },
  {
    name: 'a rival in review is not counted',
    file: 'libs/payments/src/ledger/operation.states.ts',
    find: 'return sentAt !== null && (isOpen(state) || FOLLOWED_STATES.includes(state));',
    replace: "return sentAt !== null && (isOpen(state) || state === 'failed');",
    rules: ['wrong money', 'charged'],
  },
  {
    name: 'a failed rival is not counted',
    file: 'libs/payments/src/ledger/operation.states.ts',
    find: 'return sentAt !== null && (isOpen(state) || FOLLOWED_STATES.includes(state));',
    replace: "return sentAt !== null && (isOpen(state) || state === 'needs_review');",
    rules: ['wrong money', 'charged'],
  },
  {
    name: 'requests of the host itself are no rivals',
    file: 'libs/payments/src/tills/payment.matcher.ts',
    find: 'return rivals.length + bare.length;',
    replace: 'return rivals.length + bare.length * 0;',
    rules: ['wrong money'],
  },
  {
    name: 'a read that denies counts at once',
    file: 'libs/payments/src/tills/match-window.ts',
    find: 'const SHOWN_AFTER_MS = 60_000;',
    replace: 'const SHOWN_AFTER_MS = 0;',
    rules: ['wrong money', 'charged'],
  },
  {
    name: 'a failed payment is never read again',
    file: 'libs/payments/src/ledger/operation.changes.ts',
    find: 'dueInMs: wasSent ? FOLLOW_UP_WORK.readFailedMs : null,',
    replace: 'dueInMs: wasSent ? null : null,',
    rules: ['charged'],
  },
  {
    name: 'a review that could settle is never followed',
    file: 'libs/payments/src/ledger/operation.changes.ts',
    find: 'dueInMs: isSelfSettling(cause) ? FOLLOW_UP_WORK.hourlyMs : null,',
    replace: 'dueInMs: null,',
    rules: ['review without a reason'],
  },
  {
    name: 'a reversal during a review is not written',
    file: 'libs/payments/src/tills/observed.changes.ts',
    find: 'reversal: before.reversal ?? (reversal ? transaction : null),',
    replace:
      "reversal: owner?.state === 'needs_review' ? before.reversal : (before.reversal ?? (reversal ? transaction : null)),",
    rules: ['till event', 'reversal'],
  },
  {
    name: 'a person may say that money is there which went back',
    file: 'libs/payments/src/ledger/resolution.ts',
    find: 'if (reversal) {\n    throw refused(`transaction',
    replace: "if (reversal && wanted === '') {\n    throw refused(`transaction",
    rules: ['reversal'],
  },
  {
    name: 'two people may give one reference to two payments',
    file: 'libs/payments/src/ledger/resolution.ts',
    find: 'if (other) throw refused',
    replace: "if (other === '') throw refused",
    rules: ['money of two'],
  },
  {
    name: 'Success without a transaction is success',
    file: 'libs/payments/src/operations/payments/payment.assessment.ts',
    find: "if (!resource?.reference) return { kind: 'no_transaction' };",
    replace:
      "if (!resource?.reference)\n    return { kind: 'succeeded', transaction: { reference: null, tillNumber: null }, notes: [] } as never;",
    rules: ['invented money'],
  },
  {
    name: 'the amount is not compared',
    file: 'libs/payments/src/operations/payments/payment.assessment.ts',
    find: 'if (!isSameAmount(request.amount, { currency, value: amount })) {',
    replace: 'if (request.amount.value === "0") {',
    rules: ['amount'],
  },
  {
    name: 'the till is not compared',
    file: 'libs/payments/src/operations/payments/payment.assessment.ts',
    find: "if (!isSameTill(tillNumber ?? '', request.tills, aliases)) {",
    replace: "if (tillNumber === '') {",
    rules: ['till'],
  },
  {
    name: 'a topic is proof',
    file: 'libs/payments/src/deliveries/delivery.parser.ts',
    find: "if (proven !== (reversal ? 'reversed' : 'received'))",
    replace: "if (topic === '')",
    rules: ['invented money'],
  },
  {
    name: 'money that went back at a till emits no event',
    file: 'libs/payments/src/tills/observed.changes.ts',
    find: 'if (reversal && after.reversalAnnounced && !before.reversalAnnounced) {',
    replace:
      "if (reversal && after.reversalAnnounced && !before.reversalAnnounced && via === 'callback') {",
    rules: ['till event'],
  },
  {
    name: 'the watermark moves before the window was read',
    file: 'libs/payments/src/reconciliation/sweep.schedule.ts',
    find: 'if (!(await this.sweeper.sweep(account, new Date(start), end, sweepFrom))) return false;',
    replace:
      'await this.sweepsStore.save(account, this.owner, { watermark: end, recoveredAt });\n      await this.sweeper.sweep(account, new Date(start), end, sweepFrom);',
    rules: ['till event', 'released too soon', 'parallel', 'wrong money', 'charged'],
  },
  {
    name: "sweeps begin by the process's own clock",
    file: 'libs/payments/src/reconciliation/sweep.schedule.ts',
    find: 'this.clocks.of(account).now().getTime() - sinceStartMs',
    replace: 'this.runtime.now() - sinceStartMs',
    rules: ['till event', 'till event after a wrong clock'],
  },
  {
    name: 'a callback that only its URL vouches for settles',
    file: 'libs/payments/src/deliveries/callback-results.service.ts',
    find: 'if (isSigned) {\n      await',
    replace: 'if (isSigned || delivery.id) {\n      await',
    rules: ['invented money'],
  },
  {
    name: 'a webhook that only its URL vouches for is believed',
    file: 'libs/payments/src/deliveries/webhook-transactions.service.ts',
    find: "if (delivery.verifiedBy === 'signature' ||",
    replace: 'if (delivery.verifiedBy !== undefined ||',
    rules: ['invented money'],
  },
  {
    name: 'a payment without evidence is never reviewed',
    file: 'libs/payments/src/reconciliation/overdue-payments.reconciler.ts',
    find: 'return payment.ageMs > this.reviewAfterMs(payment);',
    replace: 'return payment.ageMs < 0;',
    rules: ['not settled', 'no rest'],
  },
  {
    name: 'a payment is read each second',
    file: 'libs/payments/src/runtime/backoff.ts',
    find: 'return runtime.jittered(Math.max(0, wait));',
    replace: 'return wait < 0 ? runtime.jittered(0) : 1_000;',
    rules: ['bounded'],
  },
  {
    name: 'settled() keeps watching when it is late',
    file: 'libs/payments/src/operations/payments/payments.service.ts',
    find: '      takeUntil(late$),\n',
    replace: '',
    rules: ['bounded'],
  },
  {
    name: 'success emits no event',
    file: 'libs/payments/src/operations/payments/payment.kind.ts',
    find: "return [paymentEvent('payment.succeeded', subject, { payment, transaction })];",
    replace:
      "return transaction.reference === '' ? [paymentEvent('payment.succeeded', subject, { payment, transaction })] : [];",
    rules: ['no event'],
  },
  {
    name: 'failure emits no event',
    file: 'libs/payments/src/operations/payments/payment.kind.ts',
    find: "paymentEvent('payment.failed', subject, { payment, reason: reason ?? 'unknown', errors }),",
    replace: '',
    rules: ['no event'],
  },
  {
    name: 'a reversed payment emits no event',
    file: 'libs/payments/src/operations/payments/payment.kind.ts',
    find: "return [paymentEvent('payment.reversed', subject, { payment, transaction })];",
    replace:
      "return transaction.reference === '' ? [paymentEvent('payment.reversed', subject, { payment, transaction })] : [];",
    rules: ['no event'],
  },
  {
    name: 'events of one payment reach a listener in any order',
    file: 'libs/payments/src/stores/memory/events/memory-events.ts',
    find: 'if (left < 1 || this.queues.get(queueOf(call))?.[0] !== id) return false;',
    replace: 'if (left < 1) return false;',
    rules: ['order'],
  },
  {
    name: 'a window counts as swept that was not',
    file: 'libs/payments/src/reconciliation/overdue-payments.reconciler.ts',
    find: 'if (!(await this.covers(payment, readyAt))) return payment;',
    replace:
      'if (!hasPlatformId(payment) && !(await this.covers(payment, readyAt))) return payment;',
    rules: ['released too soon'],
  },
  {
    name: 'a review without an id is never matched again',
    file: 'libs/payments/src/reconciliation/settled-payments.follower.ts',
    find: 'else if (isDecidable(payment) && (await this.isListed(payment)))',
    replace: "else if (payment.id === '')",
    rules: ['review without a reason'],
  },
  {
    name: 'the same customer is asked again under the other number of the till',
    file: 'libs/payments/src/stores/memory/operations/memory-operations.ts',
    find: '.find(({ tills }) => tills.some((till) => payment.tills.includes(till)));',
    replace: '.find(({ tillNumber }) => tillNumber === payment.tillNumber);',
    rules: ['parallel'],
  },
];
