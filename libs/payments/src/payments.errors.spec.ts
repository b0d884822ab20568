import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { OperationInTheWay } from './store/operations.store.js';
import { CircuitOpenError, PlatformRejectedError, UnknownOutcomeError } from './platform.errors.js';
import { PaymentInFlightError, SettleTimeoutError } from './operation.errors.js';
import {
  PaymentsConfigurationError,
  PaymentsError,
  StoreUnavailableError,
} from './payments.errors.js';

const IN_THE_WAY: OperationInTheWay = {
  id: 'one',
  kind: 'payment',
  idempotencyKey: 'order-1',
  order: '1042',
  metadata: { shelf: 7 },
  state: 'unknown',
  since: new Date('2026-01-20T10:00:00Z'),
};

describe('an error', () => {
  it('has the name of its class, also when it is printed', () => {
    const error = new PaymentInFlightError([IN_THE_WAY]);
    expect(error.name).toBe('PaymentInFlightError');
    expect(inspect(error)).toContain('PaymentInFlightError: Nothing was recorded');
  });

  it('about an operation in the way names it, says the two ways on, and has its metadata without showing them to loggers', () => {
    const error = new PaymentInFlightError([IN_THE_WAY]);
    expect(error.message).toMatch(
      /payment one \(key "order-1" of order "1042", unknown, recorded at 2026-01-20T.*\).*Wait for the outcome.*besides: \['one'\]/,
    );
    expect(error.inTheWay).toEqual([IN_THE_WAY]);
    expect(inspect(error)).not.toContain('shelf');
    expect(JSON.stringify(error)).not.toContain('shelf');
  });

  it('has the messages of the platform before the advice', () => {
    const answer = { operation: 'create', status: 422, platformMessages: ['No such till'] };
    expect(new PlatformRejectedError(answer).message).toMatch(
      /answered 422 to "create": No such till\b.*correct it/,
    );
  });

  it('keeps its cause', () => {
    const cause = new Error('reset');
    expect(new UnknownOutcomeError('create', cause).cause).toBe(cause);
    expect(new StoreUnavailableError('full', { cause }).cause).toBe(cause);
    expect(new StoreUnavailableError('full').cause).toBeUndefined();
  });

  it('says how long background requests pause, in whole seconds', () => {
    const error = new CircuitOpenError(1_200);
    expect(error.message).toMatch(/in 2 s/);
    expect(error).toMatchObject({ code: 'PAYMENTS_CIRCUIT_OPEN', retryAfterMs: 1_200 });
  });

  it('has the state of the operation at the end of the wait', () => {
    expect(new SettleTimeoutError('payment', 'one', 'pending', 50)).toMatchObject({
      operationId: 'one',
      state: 'pending',
      timeoutMs: 50,
      message: expect.stringContaining('still pending after 50 ms'),
    });
  });
});

describe('An error of another copy of the package', () => {
  /** The same source, evaluated once more. */
  const COPY = new URL('./payments.errors.ts?copy', import.meta.url).href;

  it('is an instance of the same classes, and of no others', async () => {
    const { PaymentsConfigurationError: Other } = (await import(
      COPY
    )) as typeof import('./payments.errors.js');
    const error: unknown = new Other(['a problem']);
    expect(Other).not.toBe(PaymentsConfigurationError);
    expect(error instanceof PaymentsConfigurationError).toBe(true);
    expect(error instanceof PaymentsError).toBe(true);
    expect(error instanceof PaymentInFlightError).toBe(false);
    class PaymentsConfigurationErrorOfHost extends Error {}
    expect(new PaymentsConfigurationErrorOfHost() instanceof PaymentsConfigurationError).toBe(
      false,
    );
    for (const value of [null, undefined, 'text', {}, new Error('no')])
      expect((value as unknown) instanceof PaymentsError).toBe(false);
  });
});
