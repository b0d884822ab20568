import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import { RecordedTelemetry } from '../testing/recorded.telemetry.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import type { EventsStore, ListenerCall } from '../store/events.store.js';
import type { HostTransaction } from '../store/host-transaction.js';
import { MemoryStore } from '../memory/memory.store.js';
import { HostTransactions } from './host-transactions.js';
import { ListenerCaller } from './listener-caller.js';
import type { Listener } from './listeners-explorer.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALL: ListenerCall = {
  id: 'c1',
  account: 'default',
  token: 't',
  listener: 'Shop.mail',
  eventId: 'e1',
  event: 'payment.failed',
  stream: 'p1',
  payload: {},
  attempts: 1,
  traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`,
};
const FIELDS = 'account=default listener=Shop.mail event=payment.failed eventId=e1 attempt=1';

describe('a call of a listener', () => {
  const lines: string[] = [];
  let telemetry: RecordedTelemetry;

  beforeEach(() => {
    lines.length = 0;
    const note = (level: string) => (line: unknown) => void lines.push(`${level}: ${String(line)}`);
    Logger.overrideLogger({ log: note('log'), warn: note('warn'), error: note('error') });
    telemetry = new RecordedTelemetry();
    telemetry.start();
  });
  afterEach(async () => {
    Logger.overrideLogger(false);
    await telemetry.stop();
  });

  const outcomeOf = (
    listener: Partial<Listener> | undefined,
    changes: Partial<ListenerCall> = {},
    settings: Partial<PaymentsSettings> = {},
    finishCallIn?: EventsStore['finishCallIn'],
  ) => {
    const events: EventsStore = new MemoryStore().events;
    if (finishCallIn) events.finishCallIn = finishCallIn;
    const transactions = new HostTransactions();
    transactions.use({ connect: () => undefined, totalCount: 0 });

    const accounts = accountsOf({ ...SETTINGS, ...settings });
    const caller = new ListenerCaller(accounts, new SkippingRuntime(), events, transactions);
    const given = { id: 'Shop.mail', event: 'payment.failed', ...listener } as Listener;
    return caller.outcomeOf({ ...CALL, ...changes }, listener && given);
  };
  const span = () => telemetry.spans[0];
  const measured = async () => (await telemetry.points())[0]?.attributes;
  const fails = (error: unknown) => ({ call: () => Promise.reject(error) });

  it('is a span of the trace in which its event was written', async () => {
    expect(await outcomeOf({ call: async () => undefined })).toEqual({ kind: 'done' });
    expect(span()?.spanContext().traceId).toBe(TRACE_ID);
    expect(span()).toMatchObject({
      name: 'process payment.failed',
      attributes: {
        'messaging.destination.name': 'payment.failed',
        'messaging.consumer.group.name': 'Shop.mail',
        'messaging.message.id': 'e1',
        'tillkit.account': 'default',
        'tillkit.attempt': 1,
        'tillkit.outcome': 'done',
      },
    });
    expect(span()?.attributes).not.toHaveProperty('error.type');
    expect(await measured()).toEqual({
      'messaging.system': 'tillkit',
      'messaging.operation.name': 'process',
      'messaging.destination.name': 'payment.failed',
      'messaging.consumer.group.name': 'Shop.mail',
      'tillkit.outcome': 'done',
    });
  });

  it('that is repeated begins a trace with a link to that one, and is measured by account if that is wanted', async () => {
    const telemetry = { ...SETTINGS.telemetry, accountInMetrics: true };
    await outcomeOf({ call: async () => undefined }, { attempts: 2 }, { telemetry });
    expect(span()?.spanContext().traceId).not.toBe(TRACE_ID);
    expect(span()?.links).toMatchObject([{ context: { traceId: TRACE_ID } }]);
    expect(await measured()).toMatchObject({ 'tillkit.account': 'default' });
  });

  it('that fails is repeated by the schedule of its account, and leaves the type of its error in its span', async () => {
    const listeners = { ...SETTINGS.listeners, retryScheduleMs: [1_000, 5_000] };
    const error = new TypeError('no');
    expect(await outcomeOf(fails(error), {}, { listeners })).toEqual({
      kind: 'retry',
      inMs: 1_000,
      error: 'no',
    });
    expect(await outcomeOf(fails(error), { attempts: 2 }, { listeners })).toMatchObject({
      kind: 'retry',
      inMs: 5_000,
    });
    expect(span()?.attributes).toMatchObject({ 'tillkit.outcome': 'retry' });
    expect(span()?.status).toMatchObject({ code: 2 });
    expect(await measured()).toMatchObject({
      'tillkit.outcome': 'retry',
      'error.type': 'TypeError',
    });
    expect(lines[0]).toBe(
      `warn: listener Shop.mail of payment.failed failed, attempt 1, and will be repeated: no ${FIELDS}`,
    );
  });

  it('that fails after its schedule has ended is given up', async () => {
    const listeners = { ...SETTINGS.listeners, retryScheduleMs: [] };
    expect(await outcomeOf(fails(new Error('x'.repeat(600))), {}, { listeners })).toEqual({
      kind: 'given_up',
      error: 'x'.repeat(500),
    });
    expect(lines).toEqual([
      `error: listener Shop.mail of payment.failed failed 1 times and is a dead letter: ${'x'.repeat(500)} ${FIELDS}`,
    ]);
  });

  it('that this process does not have is repeated, and says so', async () => {
    const error = 'this process has no such listener of payment.failed';
    expect(await outcomeOf(undefined)).toMatchObject({ kind: 'retry', error });
    expect(await measured()).toMatchObject({ 'error.type': 'missing_listener' });
  });

  it.each<[string, Partial<Listener>, string]>([
    [
      'end',
      { call: () => new Promise(() => undefined) },
      `it did not end in ${SETTINGS.listeners.timeoutMs} ms`,
    ],
    [
      'become ready',
      { ready: () => new Promise(() => undefined), call: async () => undefined },
      `it was not ready in ${SETTINGS.listeners.timeoutMs} ms`,
    ],
  ])('that does not %s in time is repeated, and says so', async (_, listener, error) => {
    expect(await outcomeOf(listener)).toMatchObject({ kind: 'retry', error });
  });

  describe('in a transaction of the host', () => {
    const transaction: HostTransaction = { query: async () => [] };
    /** Runs the work as a store does that has transactions. A call of another process is not made. */
    const inTransaction =
      (belongsToAnother = false): EventsStore['finishCallIn'] =>
      async (_database, _call, work) => {
        if (!belongsToAnother) await work(transaction);
        return !belongsToAnother;
      };

    it('gets the transaction, and leaves no outcome to store, because it ended in its commit', async () => {
      const got: unknown[] = [];
      const call = async (...given: unknown[]): Promise<void> => void got.push(given[1]);
      const listener = { isTransactional: true, call };
      expect(await outcomeOf(listener, {}, {}, inTransaction())).toBeNull();
      expect(got).toEqual([transaction]);
      expect(span()?.attributes).toMatchObject({ 'tillkit.outcome': 'done' });
    });

    it('is not made when it belongs to another process, and says so', async () => {
      const listener = { isTransactional: true, ...fails(new Error('it was made')) };
      expect(await outcomeOf(listener, {}, {}, inTransaction(true))).toBeNull();
      expect(lines).toEqual([
        `warn: a listener call was taken over by another replica before it began ${FIELDS}`,
      ]);
    });

    it('that does not end in time is repeated, and says that its transaction may be open', async () => {
      const never = { isTransactional: true, call: () => new Promise<void>(() => undefined) };
      const error = `it did not end in ${SETTINGS.listeners.timeoutMs} ms, and its transaction may be open`;
      expect(await outcomeOf(never, {}, {}, inTransaction())).toMatchObject({
        kind: 'retry',
        error,
      });
    });
  });

  it("of the host's event bus that fails is not repeated, and leaves the stack in the log", async () => {
    const failing = new RangeError('of the bus');
    expect(await outcomeOf({ once: true, ...fails(failing) })).toEqual({ kind: 'done' });
    expect(await measured()).toMatchObject({ 'error.type': 'RangeError' });
    expect(lines).toEqual([
      expect.stringMatching(
        /^error: an @OnEvent\('payment\.failed'\) listener failed and is not called again account=default .*\nRangeError: of the bus\n +at /s,
      ),
    ]);
    await outcomeOf({ once: true, ...fails('a text') });
    expect(lines.at(-1)).toMatch(/\na text$/);
  });

  it("of the host's event bus that could not be loaded is repeated", async () => {
    const ready = (): Promise<never> => Promise.reject(new Error('not loaded'));
    const call = async (): Promise<void> => undefined;
    expect(await outcomeOf({ once: true, ready, call })).toMatchObject({ kind: 'retry' });
  });
});
