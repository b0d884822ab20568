import { StoreUnavailableError } from '../../libs/payments/src/payments.errors.js';
import { MemoryStore } from '../../libs/payments/src/memory/memory.store.js';
import type { HostTransactionModel } from './host.transaction.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { Processes } from './history.processes.js';
import type { Simulation } from './history.simulation.js';
import type { Queue } from './virtual.scheduler.js';

type Method = (...args: unknown[]) => Promise<unknown>;
type Members = Readonly<Record<string, unknown>>;

/** A process need not look for work after these calls. */
export const CREATES_NO_WORK =
  /^(init|anomalies|tokens|sweeps|retention|statistics|dueWork|pauses)|\.(find|list|history|renew|register|deadLetters|missing)/;

/** These arguments are large, or their durations do not concern queues. */
const NOT_SEARCHED = new Set(['events', 'history', 'body', 'subscriber', 'metadata']);

const STATEMENT_TIMEOUT_MS = 30_000;

/** Rate at which a process looks although there is no due work. */
const NEEDLESS_LOOK_RATE = 0.1;

const QUEUES = [
  'payments',
  'followed payments',
  'callbacks',
  'webhooks',
  'calls',
  'planned work',
] as const;

/** Maximum reads of one process in an hour. More means that a loop does not end. */
export const MAX_READS = 2_000;

export type Fault = 'before' | 'lost' | 'hang' | 'late' | 'crash' | 'slow' | null;

/**
 * Returns the store of one process. All processes share one memory store. Each call is parked, and can fail before or after it takes effect, hang, or
 * take effect late.
 */
export function simulatedStore(processes: Processes, replica: SimulatedReplica): MemoryStore {
  const inner = processes.backend ? processes.backend.open(replica) : processes.store;
  return view(inner as unknown as Members, '', processes, replica) as unknown as MemoryStore;
}

function view(
  inner: Members,
  path: string,
  processes: Processes,
  replica: SimulatedReplica,
): object {
  const calls = new Map<string | symbol, unknown>();
  return new Proxy(inner, {
    get: (target, name) => {
      if (name === 'shared') return true;
      if (calls.has(name)) return calls.get(name);
      const member = target[name as string];
      let made: unknown = member;
      if (typeof member === 'function') {
        const label = `${path}${String(name)}`;
        const Call = processes.backend?.call ?? StoreCall;
        made = (...args: unknown[]) => {
          const effect = (): Promise<unknown> => (member as Method).apply(target, args);
          const call = new Call(processes, replica, label, args, effect);
          return replica.isDirect ? call.direct() : call.made();
        };
      } else if (typeof member === 'object' && member !== null && typeof name === 'string') {
        made = view(member as Members, `${path}${name}.`, processes, replica);
      }
      calls.set(name, made);
      return made;
    },
  });
}

/** One call of the store by one process. */
export class StoreCall {
  protected readonly name: string;
  protected resolve!: (value: unknown) => void;
  protected reject!: (error: Error) => void;
  protected readonly answer = new Promise<unknown>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  /** The plan of this world decides the faults of the store. */
  protected readonly simulation: Simulation;

  constructor(
    protected readonly processes: Processes,
    protected readonly replica: SimulatedReplica,
    protected readonly method: string,
    protected readonly args: readonly unknown[],
    protected readonly effect: () => Promise<unknown>,
  ) {
    this.simulation = processes.main;
    this.name = replica.nextCall(method);
    if (processes.isDouble) processes.called(method, args);
  }

  /** Runs the call at once and without faults. The observer sees it. */
  direct(): Promise<unknown> {
    return this.happen();
  }

  made(): Promise<unknown> {
    const { simulation, replica } = this;
    if (
      isRead(this.method) &&
      replica.readsInHour(simulation.scheduler.now) > MAX_READS * this.processes.worlds.length
    ) {
      simulation.violate(
        'unbounded work',
        `${replica.name} reads the store more than ${MAX_READS} times in an hour`,
      );
    }
    const label = `${replica.name} store.${this.method}`;
    const fault = this.fault();
    // `init()` does nothing in memory, and many parts call it.
    if (fault === null && this.method === 'init') return this.effect();
    if (fault === null) {
      simulation.scheduler.park(replica, label, () => this.run());
      return this.answer;
    }
    const chance = simulation.chanceOf(this.name);
    simulation.faulted(this.name);
    switch (fault) {
      case 'before':
        simulation.scheduler.park(replica, `${label} FAILS BEFORE`, () =>
          this.fail('the connection was refused'),
        );
        break;
      case 'lost':
        simulation.scheduler.park(replica, `${label} ANSWER LOST`, () => {
          this.abandoned();
          simulation.reached('store answer lost after the commit');
          this.fail('the connection was reset');
        });
        break;
      case 'crash':
        simulation.scheduler.park(replica, `${label} THEN CRASH`, () => {
          this.abandoned();
          simulation.reached('crash between commit and answer');
          this.processes.crash(replica, chance.duration(10, 120_000));
        });
        break;
      case 'slow':
        simulation.scheduler.after(chance.duration(1, 8_000), replica, `${label} SLOW`, () =>
          this.run(),
        );
        break;
      case 'hang':
        simulation.scheduler.after(STATEMENT_TIMEOUT_MS, replica, `${label} HUNG`, () =>
          this.fail('the statement timed out'),
        );
        break;
      case 'late': {
        // The statement continues in the database after its caller has given up or crashed.
        const givesUpMs = chance.duration(1, STATEMENT_TIMEOUT_MS);
        simulation.scheduler.after(givesUpMs, replica, `${label} ABANDONED`, () =>
          this.fail('the statement timed out'),
        );
        const lateMs = givesUpMs + chance.duration(1, 10_000);
        simulation.scheduler.after(lateMs, null, `${label} COMMITS LATE`, () => {
          simulation.reached('abandoned statement committed late');
          this.abandoned();
        });
        break;
      }
    }
    return this.answer;
  }

  protected fault(): Fault {
    const { simulation } = this;
    if (simulation.faultsStopped || simulation.isSuppressed(this.name)) return null;
    if (simulation.scheduler.now < this.processes.storeAwayUntil) return 'before';
    if (!this.processes.storeFails) return null;
    const chance = simulation.chanceOf(`${this.name} fault`);
    if (simulation.happens(chance, 'store fails before')) return 'before';
    if (simulation.happens(chance, 'store answer lost')) return 'lost';
    if (simulation.happens(chance, 'store crash after commit')) return 'crash';
    if (simulation.happens(chance, 'store hangs')) return 'hang';
    if (simulation.happens(chance, 'store late commit')) return 'late';
    if (simulation.happens(chance, 'store slow')) return 'slow';
    return null;
  }

  /** Takes effect without an answer. */
  private abandoned(): void {
    this.happen().catch(() => undefined);
  }

  private run(): void {
    this.happen().then(this.resolve, this.reject);
  }

  private fail(why: string): void {
    // After a failed look or claim the process looks again, although nothing has changed.
    for (const queue of queuesOf(this.method)) this.simulation.scheduler.changesAfter(0, queue);
    this.reject(new StoreUnavailableError(why));
  }

  /** Takes effect, and shows the observer the change. */
  private async happen(): Promise<unknown> {
    const { simulation, method, args } = this;
    const transaction = transactionOf(args);
    const result = transaction ? await transaction.record(simulation, args) : await this.effect();
    if (!isEmpty(result) && !CREATES_NO_WORK.test(method)) {
      const queues = queuesOf(method);
      this.wakeFinders(queues);
      noteDurations(args, 0, (ms) => {
        for (const queue of queues) simulation.scheduler.changesAfter(ms, queue);
      });
    }
    await this.processes.stored(this.replica, method, args, result);
    return result;
  }

  /** A process looks for due work when there is some. Sometimes it looks when there is none, and must find nothing. */
  protected wakeFinders(changed: readonly Queue[]): void {
    const { simulation } = this;
    const chance = simulation.chanceOf(`${this.name} seen`);
    for (const queue of changed) {
      if (chance.happens(NEEDLESS_LOOK_RATE) || this.processes.hasDueWork(queue))
        simulation.scheduler.changed(queue);
    }
  }
}

/** True when a call changed nothing: a refused change, or a claim without work. */
export function isEmpty(result: unknown): boolean {
  if (Array.isArray(result)) return result.every((item) => item === null);
  return result === null || result === false;
}

/** True when a call reads. */
export function isRead(method: string): boolean {
  return method.includes('.find');
}

/** Returns the queues that a call may change. */
export function queuesOf(method: string): readonly Queue[] {
  if (method.startsWith('plannedWork.')) return ['planned work'];
  if (method.startsWith('pauses.')) return [];
  if (method.startsWith('deliveries.')) return ['callbacks', 'webhooks'];
  if (method.startsWith('events.')) return ['calls'];
  return method.startsWith('operations.') ? ['payments', 'followed payments'] : QUEUES;
}

/** Calls `note` with each duration in the arguments: after it, work may be due (end of a lease, retry, read of a payment). */
export function noteDurations(value: unknown, depth: number, note: (ms: number) => void): void {
  if (typeof value !== 'object' || value === null || depth > 3 || Buffer.isBuffer(value)) return;
  for (const [name, inner] of Object.entries(value as Members)) {
    if (typeof inner === 'number') {
      if ((name.endsWith('Ms') || (depth === 0 && inner > 100)) && inner > 0 && inner < 1e10)
        note(inner);
    } else if (!NOT_SEARCHED.has(name)) noteDurations(inner, depth + 1, note);
  }
}

function transactionOf(args: readonly unknown[]): HostTransactionModel | null {
  const options = args.find(
    (arg): arg is { transaction: HostTransactionModel } =>
      typeof arg === 'object' &&
      arg !== null &&
      'transaction' in arg &&
      typeof (arg.transaction as { record?: unknown } | undefined)?.record === 'function',
  );
  return options?.transaction ?? null;
}
