import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryStore, type PaymentsOptions } from '@tillkit/payments';
import { altered } from '../support/altered.store.js';
import { aRequest, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';
import { keepWarnings } from '../support/warnings.js';

/** A store that counts how often retention runs, and can let it fail. */
class WatchedRetention {
  runs = 0;
  failures = 0;

  readonly store = altered(new MemoryStore(), {
    retention: {
      apply:
        (apply) =>
        async (...args) => {
          this.runs += 1;
          if (this.failures > 0) {
            this.failures -= 1;
            throw new Error('the disk is gone');
          }
          return apply(...args);
        },
    },
  });
}

// Retention works in the store, on a schedule: the HTTP adapter plays no part.
describe('Retention', () => {
  let merchant: Merchant;
  const warnings: string[] = [];

  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> => {
    merchant = await Merchant.open({ payments });
    keepWarnings(warnings);
    return merchant;
  };

  afterEach(async () => {
    Logger.overrideLogger(false);
    warnings.length = 0;
    await merchant.close();
  });

  it('redacts an old payment, and keeps what prevents a second prompt', async () => {
    await open({ retention: { everyMs: 10, personalDataMs: 0 } });
    const input = aRequest({ metadata: { order: 17 } });
    const { id } = await merchant.payments.request(input);
    await merchant.payments.settled(id);
    await until(async () => {
      const payment = await merchant.payments.find(id);
      return payment?.subscriber.phoneNumber === '';
    });
    expect(await merchant.payments.find(id)).toMatchObject({
      state: 'succeeded',
      idempotencyKey: input.idempotencyKey,
      metadata: null,
      transaction: { senderPhoneNumber: null, senderFirstName: null, raw: {} },
    });
    expect(await merchant.payments.request(input)).toMatchObject({ id });
    expect(merchant.simulator.charges()).toHaveLength(1);
  });

  it('logs a warning when the store fails, and continues later', async () => {
    const watched = new WatchedRetention();
    watched.failures = 1;
    await open({ store: watched.store, retention: { everyMs: 50, personalDataMs: 0 } });
    await until(() => watched.runs >= 2);
    expect(warnings.filter((line) => line.includes('retention'))).toEqual([
      'retention ended early and will go on later: Error: the disk is gone account=default',
    ]);
  });

  it.each([
    ['switched off', { retention: { everyMs: 0, personalDataMs: 0 } }],
    [
      'left to another replica',
      { background: false, retention: { everyMs: 1, personalDataMs: 0 } },
    ],
  ])('changes nothing when it is %s', async (_, options) => {
    const watched = new WatchedRetention();
    await open({ store: watched.store, ...options });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(watched.runs).toBe(0);
  });
});
