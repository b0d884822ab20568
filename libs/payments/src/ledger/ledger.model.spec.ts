import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { Transaction } from '../resources/transaction.resource.js';
import {
  aLedger,
  aNewPayment,
  anIncomingPayment,
  aTransaction,
} from '../testing/ledger.fixture.js';
import { MemoryStore } from './memory/memory.store.js';
import type { PaymentState, ReviewCause } from './payment.js';

Logger.overrideLogger(false);

/** Everything that can be said of one payment, in the words of this test. */
const EVIDENCE = [
  'pending read',
  'success callback',
  'success read',
  'failure callback',
  'failure read',
  'empty success callback',
  'webhook',
  'sweep',
  'another amount',
  'second transaction',
  'reversal',
] as const;
type Evidence = (typeof EVIDENCE)[number];

interface End {
  state: PaymentState;
  cause: ReviewCause | null;
  told: string[];
}

const transaction = (changes: Partial<Transaction> = {}): Transaction =>
  aTransaction({ originationTime: new Date().toISOString(), ...changes });

const told = (
  status: string,
  resource: Transaction | null,
  errors: string[] = [],
): IncomingPayment => anIncomingPayment('platform-1', status, resource, errors);

/** A real ledger on a real store, and one payment in it that was sent. */
class World {
  private readonly store = new MemoryStore();
  private readonly ledger = aLedger(this.store);
  private readonly id = randomUUID();

  async open(state: 'requested' | 'pending' | 'unknown'): Promise<this> {
    const names = [
      'payment.succeeded',
      'payment.failed',
      'payment.reversed',
      'payment.needs_review',
      'till.transaction.received',
    ] as const;
    await this.store.registerListeners(
      'default',
      names.map((event) => ({ event, listener: 'test' })),
    );
    const recorded = await this.store.recordPayment(
      aNewPayment({ id: this.id, idempotencyKey: this.id, allowParallel: false }),
      { sendBeforeMs: 60_000 },
    );
    if (recorded.kind !== 'recorded') throw new Error('not recorded');
    const sent = await this.ledger.markRequested(recorded.payment, 'sender', 60_000);
    if (state === 'pending' && sent)
      await this.ledger.takeAnswer(sent, { kind: 'created', id: 'platform-1' });
    if (state === 'unknown') await this.ledger.giveUpOnAnswer(this.id);
    return this;
  }

  async say(evidence: Evidence): Promise<void> {
    const take = (resource: IncomingPayment, via: 'callback' | 'status'): Promise<unknown> =>
      this.ledger.takeIncomingPayment(this.id, resource, via);
    const till = (via: 'webhook' | 'sweep', reversal = false): Promise<unknown> =>
      this.ledger.observeTransaction({
        via,
        transaction: transaction(reversal ? { status: 'Reversed' } : {}),
        reversal,
        webhookEventId: via === 'webhook' ? randomUUID() : null,
        announce: true,
      });
    const acts: Record<Evidence, () => Promise<unknown>> = {
      'pending read': () => take(told('Pending', null), 'status'),
      'success callback': () => take(told('Success', transaction()), 'callback'),
      'success read': () => take(told('Success', transaction()), 'status'),
      'failure callback': () => take(told('Failed', null, ['cancelled']), 'callback'),
      'failure read': () => take(told('Failed', null, ['cancelled']), 'status'),
      'empty success callback': () => take(told('Success', null), 'callback'),
      webhook: () => till('webhook'),
      sweep: () => till('sweep'),
      'another amount': () => take(told('Success', transaction({ amount: '99.0' })), 'callback'),
      'second transaction': () =>
        take(told('Success', transaction({ reference: 'TWO' })), 'callback'),
      reversal: () => till('webhook', true),
    };
    await acts[evidence]();
  }

  async end(): Promise<End> {
    const payment = await this.store.findPayment('default', this.id);
    const events = await this.store.claimCalls('default', ['test'], 1_000, 1_000);
    const told: string[] = [];
    // Events of one stream are told one after the other: each is acknowledged to see the next.
    for (
      let batch = events;
      batch.length > 0;
      batch = await this.store.claimCalls('default', ['test'], 1_000, 1_000)
    ) {
      for (const call of batch) {
        told.push(call.event);
        await this.store.finishCall(call, { kind: 'done' });
      }
    }
    return {
      state: payment?.state as PaymentState,
      cause: payment?.cause ?? null,
      told: told.sort(),
    };
  }
}

async function endOf(
  state: 'requested' | 'pending' | 'unknown',
  history: readonly Evidence[],
): Promise<End> {
  const world = await new World().open(state);
  for (const evidence of history) await world.say(evidence);
  return world.end();
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, n) =>
    permutations([...items.slice(0, n), ...items.slice(n + 1)]).map((rest) => [item, ...rest]),
  );
}

/** Sets that do not contradict themselves, and their one end. */
const AGREEING: [Evidence[], PaymentState, string[]][] = [
  [
    [
      'success callback',
      'success read',
      'webhook',
      'sweep',
      'pending read',
      'empty success callback',
    ],
    'succeeded',
    ['payment.succeeded', 'till.transaction.received'],
  ],
  [
    ['success callback', 'success callback', 'webhook', 'webhook', 'pending read'],
    'succeeded',
    ['payment.succeeded', 'till.transaction.received'],
  ],
  [
    ['failure callback', 'failure read', 'failure callback', 'pending read', 'pending read'],
    'failed',
    ['payment.failed'],
  ],
  [['webhook', 'sweep', 'pending read', 'webhook'], 'pending', ['till.transaction.received']],
];

/** Sets that contradict themselves: what comes first is told, and what it then takes a person to decide is asked for. */
const CONTRADICTING: [Evidence[], PaymentState, ReviewCause | null, string[]][] = [
  [['success callback', 'failure read'], 'succeeded', null, ['payment.succeeded']],
  [
    ['failure read', 'success callback'],
    'needs_review',
    'paid_after_failure',
    ['payment.failed', 'payment.needs_review'],
  ],
  [['success callback', 'another amount'], 'succeeded', null, ['payment.succeeded']],
  [
    ['another amount', 'success callback'],
    'needs_review',
    'amount_mismatch',
    ['payment.needs_review'],
  ],
  [['another amount', 'failure read'], 'needs_review', 'amount_mismatch', ['payment.needs_review']],
  [
    ['failure read', 'another amount'],
    'needs_review',
    'paid_after_failure',
    ['payment.failed', 'payment.needs_review'],
  ],
  [
    ['success callback', 'second transaction'],
    'succeeded',
    'second_transaction',
    ['payment.needs_review', 'payment.succeeded'],
  ],
  [
    ['second transaction', 'success callback'],
    'succeeded',
    'second_transaction',
    ['payment.needs_review', 'payment.succeeded'],
  ],
  [['success callback', 'reversal'], 'reversed', null, ['payment.reversed', 'payment.succeeded']],
  [['reversal', 'success callback'], 'needs_review', 'reversed', ['payment.needs_review']],
  [['reversal', 'failure read'], 'failed', null, ['payment.failed']],
];

describe('the ledger', () => {
  it.each(AGREEING)('ends in one state whatever the order of %p', async (set, state, told) => {
    for (const before of ['requested', 'pending', 'unknown'] as const) {
      for (const history of permutations(set)) {
        const end = await endOf(before, history);
        if (state === 'pending' && before !== 'pending' && !history.includes('pending read'))
          continue;
        expect({ history, ...end }).toEqual({ history, state, cause: null, told });
      }
    }
  });

  it.each(CONTRADICTING)('ends as the table says after %p', async (history, state, cause, told) => {
    expect(await endOf('pending', history)).toEqual({ state, cause, told });
    // Said again, in any order, nothing is told again and nothing moves.
    for (const again of permutations([...history, ...history].slice(0, 4))) {
      expect(await endOf('pending', [...history, ...again])).toEqual({ state, cause, told });
    }
  });

  it('tells each end at most once, and moves only as the table of states allows, after any history', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('requested' as const, 'pending' as const, 'unknown' as const),
        fc.array(fc.constantFrom(...EVIDENCE), { maxLength: 12 }),
        async (before, history) => {
          const { state, cause, told } = await endOf(before, history);
          for (const name of [
            'payment.succeeded',
            'payment.failed',
            'payment.reversed',
            'till.transaction.received',
          ]) {
            expect(told.filter((event) => event === name).length).toBeLessThanOrEqual(1);
          }
          expect(told.includes('payment.succeeded')).toBe(
            ['succeeded', 'reversed'].includes(state),
          );
          if (state === 'failed') expect(told).toContain('payment.failed');
          if (state === 'needs_review') {
            expect(cause).not.toBeNull();
            expect(told).toContain('payment.needs_review');
          }
          const received = history.includes('webhook') || history.includes('sweep');
          expect(told.includes('till.transaction.received')).toBe(received);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('tells once what comes many times at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...EVIDENCE), { maxLength: 30 }),
        async (pieces) => {
          const world = await new World().open('requested');
          await Promise.all(pieces.map((evidence) => world.say(evidence)));
          const { told } = await world.end();
          for (const name of [
            'payment.succeeded',
            'payment.failed',
            'payment.reversed',
            'till.transaction.received',
          ]) {
            expect(told.filter((event) => event === name).length).toBeLessThanOrEqual(1);
          }
          expect(told.includes('payment.succeeded') && told.includes('payment.failed')).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });
});
