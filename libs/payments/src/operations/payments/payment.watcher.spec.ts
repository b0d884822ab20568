import { describe, expect, it } from '@jest/globals';
import { Observable } from 'rxjs';
import { StoreUnavailableError } from '../../payments.errors.js';
import { SkippingRuntime } from '../../testing/skipping.runtime.js';
import type { Payment, PaymentState } from './payment.js';
import { PaymentWatcher } from './payment.watcher.js';

const payment = (state: PaymentState): Payment => ({ id: 'one', state }) as Payment;

/** Watches the results of `find`, and counts its calls. */
function watched(find: () => Promise<Payment>, everyMs: number | null = 500) {
  const runtime = new SkippingRuntime();
  let looks = 0;
  let underWay = 0;
  let mostUnderWay = 0;
  const watcher = new PaymentWatcher(
    runtime,
    async () => {
      looks += 1;
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      try {
        return await find();
      } finally {
        underWay -= 1;
      }
    },
    { everyMs },
  );
  const payments$ = new Observable<Payment>((subscriber) => {
    watcher.start(subscriber);
    return () => watcher.stop();
  });
  return {
    watcher,
    payments$,
    looks: () => looks,
    mostUnderWay: () => mostUnderWay,
  };
}

async function statesOf(payments$: Observable<Payment>): Promise<PaymentState[]> {
  const states: PaymentState[] = [];
  await new Promise<void>((complete, error) => {
    payments$.subscribe({ next: ({ state }) => states.push(state), complete, error });
  });
  return states;
}

describe('watch() of a payment', () => {
  it('emits each state once, and completes after a final state', async () => {
    const states: PaymentState[] = ['created', 'pending', 'pending', 'needs_review', 'succeeded'];
    const { payments$ } = watched(async () => payment(states.shift() ?? 'reversed'));
    expect(await statesOf(payments$)).toEqual(['created', 'pending', 'needs_review', 'succeeded']);
  });

  it('continues after the store was unavailable', async () => {
    let failures = 3;
    const { payments$ } = watched(async () => {
      if (failures-- > 0) throw new StoreUnavailableError('away');
      return payment('succeeded');
    });
    expect(await statesOf(payments$)).toEqual(['succeeded']);
  });

  it('fails with any other error', async () => {
    const { payments$ } = watched(async () => {
      throw new TypeError('a mistake');
    });
    await expect(statesOf(payments$)).rejects.toThrow('a mistake');
  });

  it('reads a slow store one call at a time, even if changes come faster', async () => {
    let answer: (found: Payment) => void = () => undefined;
    const { watcher, payments$, looks, mostUnderWay } = watched(
      () => new Promise((resolve) => (answer = resolve)),
      null,
    );
    const states = statesOf(payments$);
    for (let change = 0; change < 1_000; change += 1) watcher.look();
    answer(payment('pending'));
    await new Promise((resolve) => setImmediate(resolve));
    answer(payment('succeeded'));
    expect(await states).toEqual(['pending', 'succeeded']);
    expect({ looks: looks(), most: mostUnderWay() }).toEqual({ looks: 2, most: 1 });
  });

  it('stops reading when nobody watches any more', async () => {
    const { payments$, looks } = watched(async () => payment('pending'));
    const subscription = payments$.subscribe();
    await new Promise((resolve) => setImmediate(resolve));
    subscription.unsubscribe();
    const before = looks();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(looks()).toBe(before);
  });
});
