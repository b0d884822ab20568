import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { OperationOutcomeUnknownError, StoreUnavailableError } from '../payments.errors.js';
import type { CreateOutcome } from '../platform/sending.js';
import { Runtime } from '../runtime/clock.js';
import { MemoryStore } from '../memory/memory.store.js';
import { ASKED, warmPayments } from '../testing/warm-payments.fixture.js';

Logger.overrideLogger(false);

describe('a payment whose recording was not answered', () => {
  let store: MemoryStore;
  let processes: ReturnType<typeof warmPayments>[];
  let sent: number;
  /** When true, the store is away after the recording. `isLate` says that the recording ends only after it was repeated. */
  let isAway: boolean;
  let isLate: boolean;
  let late: Promise<unknown> | undefined;
  let token: { status: 'valid' | 'none' };

  beforeEach(() => {
    store = new MemoryStore();
    sent = 0;
    const post = async (): Promise<CreateOutcome> => {
      sent += 1;
      return { kind: 'created', id: `platform-${sent}` };
    };
    token = { status: 'valid' };
    processes = [1, 2].map(() => warmPayments(store, new Runtime(), post, token));
    isAway = false;
    isLate = false;
    const { record } = store.operations;
    let repeated = (): void => undefined;
    const isRepeated = new Promise<void>((resolve) => (repeated = resolve));
    const again: typeof record = async (...given) => {
      store.operations.record = record;
      if (isAway) throw new StoreUnavailableError('it cannot be reached');
      const result = await record.apply(store.operations, given);
      repeated();
      return result;
    };
    store.operations.record = async (...given) => {
      store.operations.record = again;
      const recording = (): Promise<unknown> => record.apply(store.operations, given);
      if (isLate) late = isRepeated.then(recording);
      else await recording();
      throw new StoreUnavailableError('the connection was reset');
    };
  });
  const askInVain = (status: 'valid' | 'none'): Promise<unknown> => {
    token.status = status;
    return processes[0]!.payments.request(ASKED).catch((error: unknown) => error);
  };
  afterEach(() => {
    for (const { under } of processes) under.shutdown.close();
  });

  it('is not sent while there is no token, and the error says that its outcome is unknown', async () => {
    expect(await askInVain('none')).toBeInstanceOf(OperationOutcomeUnknownError);
    expect(sent).toBe(0);
    const found = await processes[1]!.payments.findByIdempotencyKey('order-1');
    expect(found).toMatchObject({ state: 'created' });
  });

  it('is sent all the same when its call finds it, because only that one can send it', async () => {
    expect(await askInVain('valid')).toMatchObject({ state: 'pending' });
    expect(sent).toBe(1);
  });

  it('is not recorded again when the store says that it has changed nothing', async () => {
    let recordings = 0;
    store.operations.record = () => {
      recordings += 1;
      return Promise.reject(new StoreUnavailableError('away', { changedNothing: true }));
    };
    expect(await askInVain('valid')).toBeInstanceOf(OperationOutcomeUnknownError);
    expect(recordings).toBe(1);
  });

  it('is sent once when its recording ends after its connection', async () => {
    isLate = true;
    expect(await askInVain('valid')).toMatchObject({ state: 'pending' });
    expect(await late).toMatchObject({ kind: 'existing' });
    expect(sent).toBe(1);
  });

  it('fails as not sent when the store is away, as soon as it is back', async () => {
    isAway = true;
    expect(await askInVain('valid')).toBeInstanceOf(OperationOutcomeUnknownError);
    const { payments } = processes[0]!;
    const { id } = (await payments.findByIdempotencyKey('order-1'))!;
    expect(await payments.settled(id)).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(sent).toBe(0);
  });

  it('is sent by a repeat with the same key in any process, and only once', async () => {
    await askInVain('none');
    const asked = processes.flatMap(({ payments }) => [
      payments.request(ASKED),
      payments.request(ASKED),
    ]);
    await Promise.all(asked);
    expect(sent).toBe(1);
    expect(await processes[0]!.payments.findByIdempotencyKey('order-1')).toMatchObject({
      state: 'pending',
    });
  });
});
