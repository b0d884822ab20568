import { StoreUnavailableError } from '../../libs/payments/src/payments.errors.js';
import { MemoryStore } from '../../libs/payments/src/stores/memory/memory.store.js';
import type { HostTransactionModel } from './host.transaction.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';
import type { Queue } from './virtual.scheduler.js';

type Method = (...args: unknown[]) => Promise<unknown>;
type Members = Readonly<Record<string, unknown>>;

/** Calls that change nothing that a work loop could find. */
export const QUIET =
  /^(init|anomalies|tokens|sweeps|retention|statistics)|\.(find|list|history|renew|register|deadLetters|missing)/;

/** Arguments that are large, or hold durations that mean nothing to the store's queues. */
const NOT_SEARCHED = new Set(['events', 'history', 'body', 'subscriber', 'metadata']);

/** The longest that a caller waits for a statement before its driver gives up. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** How often another process looks after a change that left nothing to find. */
const VAIN_LOOK = 0.1;

const QUEUES = ['payments', 'followed payments', 'callbacks', 'webhooks', 'calls'] as const;

/** Look-ups of one process in one hour. More of them means that something waits which nobody waits for any more. */
export const MOST_READS = 2_000;

export type Fault = 'before' | 'lost' | 'hang' | 'late' | 'crash' | 'slow' | null;

/**
 * The store as one process has it: the memory store that all processes share, behind calls that are parked and can fail
 * before or after they take effect, hang, or take effect late.
 */
export function simulatedStore(world: World, replica: SimulatedReplica): MemoryStore {
  const inner = world.backend ? world.backend.open(replica) : world.store;
  return view(inner as unknown as Members, '', world, replica) as unknown as MemoryStore;
}

function view(inner: Members, path: string, world: World, replica: SimulatedReplica): object {
  const calls = new Map<string | symbol, unknown>();
  return new Proxy(inner, {
    get: (target, name) => {
      if (name === 'shared') return true;
      if (calls.has(name)) return calls.get(name);
      const member = target[name as string];
      let made: unknown = member;
      if (typeof member === 'function') {
        const label = `${path}${String(name)}`;
        const Call = world.backend?.call ?? StoreCall;
        made = (...args: unknown[]) => {
          const effect = (): Promise<unknown> => (member as Method).apply(target, args);
          const call = new Call(world, replica, label, args, effect);
          return replica.isDirect ? call.direct() : call.made();
        };
      } else if (typeof member === 'object' && member !== null && typeof name === 'string') {
        made = view(member as Members, `${path}${name}.`, world, replica);
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

  constructor(
    protected readonly world: World,
    protected readonly replica: SimulatedReplica,
    protected readonly method: string,
    protected readonly args: readonly unknown[],
    protected readonly effect: () => Promise<unknown>,
  ) {
    this.name = replica.nextCall(method);
  }

  /** Takes effect at once, without faults; those who watch see it all the same. */
  direct(): Promise<unknown> {
    return this.happen();
  }

  made(): Promise<unknown> {
    const { world, replica } = this;
    if (isLookUp(this.method) && replica.readsInHour(world.scheduler.now) > MOST_READS) {
      world.violate('bounded', `${replica.name} looks things up ${MOST_READS} times in an hour`);
    }
    const label = `${replica.name} store.${this.method}`;
    const fault = this.fault();
    // Opening the store does nothing here, and each part of a process that starts does it.
    if (fault === null && this.method === 'init') return this.effect();
    if (fault === null) {
      world.scheduler.park(replica, label, () => this.run());
      return this.answer;
    }
    const chance = world.chanceOf(this.name);
    world.faulted(this.name);
    switch (fault) {
      case 'before':
        world.scheduler.park(replica, `${label} FAILS BEFORE`, () =>
          this.fail('the connection was refused'),
        );
        break;
      case 'lost':
        world.scheduler.park(replica, `${label} ANSWER LOST`, () => {
          this.abandoned();
          world.met('store answer lost after commit');
          this.fail('the connection was reset');
        });
        break;
      case 'crash':
        world.scheduler.park(replica, `${label} THEN CRASH`, () => {
          this.abandoned();
          world.met('crash between commit and answer');
          world.crash(replica, chance.duration(10, 120_000));
        });
        break;
      case 'slow':
        world.scheduler.after(chance.duration(1, 8_000), replica, `${label} SLOW`, () =>
          this.run(),
        );
        break;
      case 'hang':
        world.scheduler.after(STATEMENT_TIMEOUT_MS, replica, `${label} HUNG`, () =>
          this.fail('the statement timed out'),
        );
        break;
      case 'late': {
        // The statement goes on in the database after its caller gave up, also when the caller dies.
        const givesUpMs = chance.duration(1, STATEMENT_TIMEOUT_MS);
        world.scheduler.after(givesUpMs, replica, `${label} ABANDONED`, () =>
          this.fail('the statement timed out'),
        );
        const lateMs = givesUpMs + chance.duration(1, 10_000);
        world.scheduler.after(lateMs, null, `${label} COMMITS LATE`, () => {
          world.met('abandoned statement commits late');
          this.abandoned();
        });
        break;
      }
    }
    return this.answer;
  }

  protected fault(): Fault {
    const { world } = this;
    if (world.quiet || world.isSuppressed(this.name)) return null;
    if (world.scheduler.now < world.storeAwayUntil) return 'before';
    if (!world.storeFails) return null;
    const chance = world.chanceOf(`${this.name} fault`);
    if (world.happens(chance, 'store fails before')) return 'before';
    if (world.happens(chance, 'store answer lost')) return 'lost';
    if (world.happens(chance, 'store crash after commit')) return 'crash';
    if (world.happens(chance, 'store hangs')) return 'hang';
    if (world.happens(chance, 'store late commit')) return 'late';
    if (world.happens(chance, 'store slow')) return 'slow';
    return null;
  }

  /** Takes effect where nobody waits for the answer. */
  private abandoned(): void {
    this.happen().catch(() => undefined);
  }

  private run(): void {
    this.happen().then(this.resolve, this.reject);
  }

  private fail(why: string): void {
    // Who could not claim what is due looks again, though nothing changed.
    for (const queue of queuesOf(this.method)) this.world.scheduler.changesAfter(0, queue);
    this.reject(new StoreUnavailableError(why));
  }

  /** Takes effect, and lets those who watch see it. */
  private async happen(): Promise<unknown> {
    const { world, method, args } = this;
    const transaction = transactionOf(args);
    const result = transaction ? await transaction.record(world, args) : await this.effect();
    if (!isEmpty(result) && !QUIET.test(method)) {
      const queues = queuesOf(method);
      this.tellOthers(queues);
      noteDurations(args, 0, (ms) => {
        for (const queue of queues) world.scheduler.changesAfter(ms, queue);
      });
    }
    await world.observer.stored(this.replica, method, args, result);
    return result;
  }

  /** Other processes look where there is something to find; now and then also where there is not: they must find nothing. */
  protected tellOthers(changed: readonly Queue[]): void {
    const { world } = this;
    const chance = world.chanceOf(`${this.name} seen`);
    for (const queue of changed) {
      if (chance.happens(VAIN_LOOK) || world.holdsWork(queue)) world.scheduler.changed(queue);
    }
  }
}

/** Whether a call did nothing: a change that was refused, a claim that found nothing. */
export function isEmpty(result: unknown): boolean {
  if (Array.isArray(result)) return result.every((item) => item === null);
  return result === null || result === false;
}

/** Whether a call looks something up. */
export function isLookUp(method: string): boolean {
  return method.includes('.find');
}

/** The queues that a call may change, by its name. */
export function queuesOf(method: string): readonly Queue[] {
  if (method.startsWith('deliveries.')) return ['callbacks', 'webhooks'];
  if (method.startsWith('events.')) return ['calls'];
  return method.startsWith('operations.') ? ['payments', 'followed payments'] : QUEUES;
}

/** After each duration that a call names, something may be due: a lease ended, a retry, a payment to be read. */
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
