import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger, type LoggerService } from '@nestjs/common';
import { WORK_LOOP } from '../queue/work-loop.js';
import {
  aChange,
  HangingListener,
  LISTENING,
  ListeningProcesses,
  until,
} from '../testing/dispatcher.fixture.js';
import type { Listener } from './listeners-explorer.js';

const hang = (): Promise<never> => new Promise(() => undefined);

describe('the dispatcher of a process that stops', () => {
  let processes: ListeningProcesses;
  const warnings: string[] = [];

  beforeEach(() => {
    processes = new ListeningProcesses();
    const log = (): void => undefined;
    const warn = (text: string): number => warnings.push(text);
    Logger.overrideLogger({ log, warn, error: log } satisfies LoggerService);
    const { runtime } = processes;
    const timer = runtime.timer.bind(runtime);
    runtime.timer = (ms, call, options) =>
      timer(ms === WORK_LOOP.drainMs && !options?.background ? 20 : ms, call, options);
  });
  afterEach(async () => {
    await processes.close();
    warnings.length = 0;
    Logger.overrideLogger(false);
  });

  it('waits no longer than other work for a store that hangs, and says which calls are made again', async () => {
    const { store, called } = processes;
    const dispatcher = await processes.open(['payment.reversed']);
    store.events.finishCall = hang;
    await processes.emit();
    dispatcher.onApplicationBootstrap();
    await until(() => called.length === 1);
    await dispatcher.onModuleDestroy();
    expect(warnings).toEqual([
      'claimed listener calls whose outcome is not stored at the end of the application: 1, of Orders.update (account ' +
        'default). They are made again after their lease',
    ]);
  });

  it('says which calls are made again because they run too long, or had no room', async () => {
    const hanging = new HangingListener('payment.failed');
    const one = { ...LISTENING, listeners: { ...LISTENING.listeners, concurrency: 1 } };
    const dispatcher = await processes.open([], one, { others: [hanging] });
    dispatcher.onApplicationBootstrap();
    const commits = processes.commitsOf(dispatcher);
    await commits.commit(aChange('payment.failed', 'p1'));
    await commits.commit(aChange('payment.failed', 'p2'));
    await dispatcher.onModuleDestroy();
    expect(warnings).toEqual([expect.stringContaining('application: 2, of Shop.mail')]);
    hanging.end();
    await until(async () => (await processes.stateOf('p1')) === 'done');
    expect(hanging.begun).toBe(1);
  });

  it('names each listener whose calls are made again', async () => {
    let begun = 0;
    const call = (): Promise<never> => {
      begun += 1;
      return hang();
    };
    const hanging = (id: string): Listener => ({ id, event: 'payment.reversed', call });
    const others = [hanging('Shop.mail'), hanging('Orders.late')];
    const dispatcher = await processes.open([], LISTENING, { others });
    await processes.emit();
    await processes.emit('p2');
    dispatcher.onApplicationBootstrap();
    await until(() => begun === 4);
    await dispatcher.onModuleDestroy();
    expect(warnings).toEqual([
      expect.stringMatching(
        /application: 4, of \S+ \(account default\), \S+ \(account default\)\. They are/,
      ),
    ]);
  });

  it('says nothing when all outcomes are stored', async () => {
    const dispatcher = await processes.open(['payment.reversed']);
    await processes.emit();
    dispatcher.onApplicationBootstrap();
    await until(() => processes.called.length === 1);
    await dispatcher.onModuleDestroy();
    expect(await processes.stateOf('p1')).toBe('done');
    expect(warnings).toEqual([]);
  });
});
