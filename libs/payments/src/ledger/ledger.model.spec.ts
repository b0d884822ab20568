import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { runs, someOf } from '../../../../test/support/thorough.js';
import type { PaymentState } from '../operations/payments/payment.js';
import type { IncomingPayment } from '../platform/resources/incoming-payments.service.js';
import type { Transaction } from '../money/transaction.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  applied,
  anIncomingPayment,
  anObservedTransaction,
  aRequestedPayment,
  aTransaction,
  completeCalls,
  listen,
  keyOf,
} from '../testing/ledger.fixture.js';
import type { ReviewCause } from '../store/operation.js';

Logger.overrideLogger(false);

/** All evidence about one payment, by the names of this test. */
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
  events: string[];
}

const transaction = (changes: Partial<Transaction> = {}): Transaction =>
  aTransaction({ originationTime: new Date().toISOString(), ...changes });

const shown = (
  status: string,
  resource: Transaction | null,
  errors: string[] = [],
): IncomingPayment => anIncomingPayment('platform-1', status, resource, errors);

/** A ledger with a store and one payment that was sent. */
class World {
  private readonly store = new MemoryStore();
  private readonly under = aLedger(this.store);
  private readonly id = randomUUID();

  async open(state: 'requested' | 'pending' | 'unknown'): Promise<this> {
    await listen(
      this.store,
      'payment.succeeded',
      'payment.failed',
      'payment.reversed',
      'payment.needs_review',
      'till.transaction.received',
    );
    const { answers } = this.under;
    const sent = await aRequestedPayment(this.under, {
      id: this.id,
      idempotencyKey: this.id,
    });
    if (state === 'pending') await answers.apply(sent, { kind: 'created', id: 'platform-1' });
    if (state === 'unknown') await answers.giveUp(keyOf(this.id));
    return this;
  }

  async apply(evidence: Evidence): Promise<void> {
    const apply = (resource: IncomingPayment, via: 'callback' | 'status'): Promise<unknown> =>
      applied(this.under, keyOf(this.id), resource, via);
    const observe = (via: 'webhook' | 'sweep', status = 'Received'): Promise<unknown> =>
      this.under.tills.observe(
        anObservedTransaction(transaction({ status }), {
          via,
          webhookEventId: via === 'webhook' ? randomUUID() : null,
        }),
      );
    const acts: Record<Evidence, () => Promise<unknown>> = {
      'pending read': () => apply(shown('Pending', null), 'status'),
      'success callback': () => apply(shown('Success', transaction()), 'callback'),
      'success read': () => apply(shown('Success', transaction()), 'status'),
      'failure callback': () => apply(shown('Failed', null, ['cancelled']), 'callback'),
      'failure read': () => apply(shown('Failed', null, ['cancelled']), 'status'),
      'empty success callback': () => apply(shown('Success', null), 'callback'),
      webhook: () => observe('webhook'),
      sweep: () => observe('sweep'),
      'another amount': () => apply(shown('Success', transaction({ amount: '99.0' })), 'callback'),
      'second transaction': () =>
        apply(shown('Success', transaction({ reference: 'TWO' })), 'callback'),
      reversal: () => observe('webhook', 'Reversed'),
    };
    await acts[evidence]();
  }

  async end(): Promise<End> {
    const payment = await this.store.operations.find('default', this.id);
    const calls = await completeCalls(this.store);
    return {
      state: payment?.state as PaymentState,
      cause: payment?.cause ?? null,
      events: calls.map(({ event }) => event).sort(),
    };
  }
}

async function endOf(
  state: 'requested' | 'pending' | 'unknown',
  history: readonly Evidence[],
): Promise<End> {
  const world = await new World().open(state);
  for (const evidence of history) await world.apply(evidence);
  return world.end();
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, n) =>
    permutations([...items.slice(0, n), ...items.slice(n + 1)]).map((rest) => [item, ...rest]),
  );
}

/** Sets of evidence without contradictions, with their only final state and its events. */
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

/** Sets of evidence with contradictions: the event of the first evidence is emitted, then that of a review if a person must decide. */
const CONTRADICTING: [Evidence[], PaymentState, ReviewCause | null, string[]][] = [
  [['success callback', 'failure read'], 'succeeded', null, ['payment.succeeded']],
  [
    ['failure read', 'success callback'],
    'needs_review',
    'paid_after_failure',
    ['payment.failed', 'payment.needs_review'],
  ],
  [
    ['success callback', 'another amount'],
    'succeeded',
    'reports_differ',
    ['payment.needs_review', 'payment.succeeded'],
  ],
  [
    ['another amount', 'success callback'],
    'needs_review',
    'amount_mismatch',
    ['payment.needs_review', 'payment.needs_review'],
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
  [
    ['success callback', 'reversal'],
    'reversed',
    null,
    ['payment.reversed', 'payment.succeeded', 'till.transaction.received'],
  ],
  [['reversal', 'success callback'], 'needs_review', 'reversed', ['payment.needs_review']],
  [['reversal', 'failure read'], 'failed', null, ['payment.failed']],
];

describe('the ledger', () => {
  it.each(AGREEING)(
    'ends in the same state for this evidence in any order: %p',
    async (set, state, events) => {
      for (const before of ['requested', 'pending', 'unknown'] as const) {
        for (const history of someOf(permutations(set))) {
          const end = await endOf(before, history);
          if (state === 'pending' && before !== 'pending' && !history.includes('pending read'))
            continue;
          expect({ history, ...end }).toEqual({ history, state, cause: null, events });
        }
      }
    },
  );

  it.each(CONTRADICTING)(
    'after %j, in this order, ends as %s with the cause %s, and stays so when all of it comes again',
    async (history, state, cause, events) => {
      expect(await endOf('pending', history)).toEqual({ state, cause, events });
      // Applied again, in any order, the same evidence emits no event and changes no state.
      for (const again of permutations([...history, ...history].slice(0, 4))) {
        expect(await endOf('pending', [...history, ...again])).toEqual({ state, cause, events });
      }
    },
  );

  it('emits each event at most once, and one event for the final state, for any evidence in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('requested' as const, 'pending' as const, 'unknown' as const),
        fc.array(fc.constantFrom(...EVIDENCE), { maxLength: 12 }),
        async (before, history) => {
          const { state, cause, events } = await endOf(before, history);
          for (const name of [
            'payment.succeeded',
            'payment.failed',
            'payment.reversed',
            'till.transaction.received',
          ]) {
            expect(events.filter((event) => event === name).length).toBeLessThanOrEqual(1);
          }
          expect(events.includes('payment.succeeded')).toBe(
            ['succeeded', 'reversed'].includes(state),
          );
          if (state === 'failed') expect(events).toContain('payment.failed');
          if (state === 'needs_review') {
            expect(cause).not.toBeNull();
            expect(events).toContain('payment.needs_review');
          }
          const received =
            history.includes('webhook') || history.includes('sweep') || state === 'reversed';
          // The reversal of a second transaction announces that one too.
          if (received || !history.includes('reversal'))
            expect(events.includes('till.transaction.received')).toBe(received);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it('emits each event at most once when the same evidence arrives many times at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...EVIDENCE), { maxLength: 30 }),
        async (pieces) => {
          const world = await new World().open('requested');
          await Promise.all(pieces.map((evidence) => world.apply(evidence)));
          const { events } = await world.end();
          for (const name of [
            'payment.succeeded',
            'payment.failed',
            'payment.reversed',
            'till.transaction.received',
          ]) {
            expect(events.filter((event) => event === name).length).toBeLessThanOrEqual(1);
          }
          expect(events.includes('payment.succeeded') && events.includes('payment.failed')).toBe(
            false,
          );
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
