import type { Cut } from './faulty.socket.js';
import type { PostgresBackend } from './postgres.backend.js';
import type { Begun } from './postgres.observer.js';
import type { Snapshot } from './postgres.snapshots.js';
import type { Stall } from './postgres.server.js';
import {
  isEmpty,
  isRead,
  MAX_READS,
  noteDurations,
  queuesOf,
  CREATES_NO_WORK,
  StoreCall,
} from './simulated.store.js';

/** Calls that change nothing that the observer reads. */
const CHANGES_NOTHING =
  /^(init|sweeps|tokens|statistics|dueWork|anomalies\.list|pauses\.(of|all|history))|\.(find|list|history|register|deadLetters)/;

type Outcome = ({ result: unknown } | { error: Error }) & { snapshot: Snapshot | null };

/** One call of a real `PostgresStore`, with faults of connections, locks and the server. */
export class PostgresCall extends StoreCall {
  override made(): Promise<unknown> {
    const { simulation, replica, method } = this;
    const { scheduler } = simulation;
    if (
      isRead(method) &&
      replica.readsInHour(scheduler.now) > MAX_READS * this.processes.worlds.length
    ) {
      simulation.violate(
        'unbounded work',
        `${replica.name} reads the store more than ${MAX_READS} times in an hour`,
      );
    }
    const process = this.backend.processOf(replica);
    // The store checks its schema once, for all callers. Later calls send no statement.
    if (method === 'init') {
      if (process.opening) return process.opening;
      process.opening = this.answer;
      this.answer.catch(() => {
        process.opening = null;
      });
    }
    const drawn = this.fault();
    const stalls = drawn === 'hang' || drawn === 'late';
    const fault = stalls && !this.backend.mayStall() ? 'before' : drawn;
    const chance = simulation.chanceOf(this.name);
    const label = `${replica.name} store.${method}`;
    const park = (what: string, run: () => void): void =>
      scheduler.park(replica, `${label}${what}`, run);
    if (fault !== null) simulation.faulted(this.name);
    switch (fault) {
      case null: {
        const failures = this.backend.conflicts(this.name);
        if (failures > 0) park(` CONFLICTS ${failures} times`, () => this.conflict(failures));
        else park('', () => this.go(null));
        break;
      }
      case 'before':
        park(' FAILS BEFORE', () => this.go('before'));
        break;
      case 'lost': {
        const cut = chance.pick(['sent', 'answer'] as const);
        park(` CUT ONCE ${cut}`, () => this.go(cut));
        break;
      }
      case 'crash': {
        const cut = chance.pick([null, 'sent', 'answer'] as const);
        const downMs = chance.duration(10, 120_000);
        park(' THEN CRASH', () => this.crash(cut, downMs));
        break;
      }
      case 'slow':
        scheduler.after(chance.duration(1, 8_000), replica, `${label} SLOW`, () => this.go(null));
        break;
      case 'hang':
      case 'late': {
        const place = chance.pick(['statement', 'commit'] as const);
        const how = fault === 'hang' ? 'cancel' : 'commit';
        const releasedMs =
          fault === 'hang' ? chance.duration(16_000, 40_000) : chance.duration(1, 40_000);
        park(` STALLS at its ${place}`, () => this.stall(place, how, releasedMs));
        break;
      }
    }
    return this.answer;
  }

  private get backend(): PostgresBackend {
    return this.processes.backend as PostgresBackend;
  }

  private go(cut: Cut | null): void {
    if (cut === 'answer') this.simulation.reached('store answer lost after the commit');
    void this.happened(cut, () => this.effect()).then((outcome) => this.answered(outcome));
  }

  private conflict(failures: number): void {
    const { server } = this.backend;
    this.simulation.reached('serialization failure or deadlock');
    void this.happened(null, async () => {
      await server.failNext(failures);
      try {
        return await this.effect();
      } finally {
        await server.failNext(0);
      }
    }).then((outcome) => this.answered(outcome));
  }

  private crash(cut: Cut | null, downMs: number): void {
    const { simulation, replica } = this;
    void this.happened(cut, () => this.effect()).then(() => {
      if (!replica.alive) return;
      simulation.reached('crash between commit and answer');
      this.processes.crash(replica, downMs);
    });
  }

  /** Other writes of this process stall as well. */
  private stall(place: Stall, how: 'commit' | 'cancel', releasedMs: number): void {
    const { simulation, replica, backend } = this;
    const { name } = replica;
    const ended = this.happened(null, async () => {
      if (!(await backend.server.stall(name, place))) return this.effect();
      backend.releaseLater(name, place, how, releasedMs);
      return this.effect();
    });
    void ended.then((outcome) => {
      if ('error' in outcome) simulation.reached(`statement abandoned at its ${place}`);
      this.answered(outcome);
    });
  }

  /** Runs the call on the real database, and shows the observer the changes. */
  private async happened(cut: Cut | null, effect: () => Promise<unknown>): Promise<Outcome> {
    const { simulation, processes, replica, method, args, backend } = this;
    const { snapshots, work } = backend;
    const { connections } = backend.processOf(replica);
    const observers = processes.worlds.map(
      ({ account }) => [account, backend.observerNamed(account)] as const,
    );
    const begun = observers.map(([, observer]) => observer.begun(method, args));
    const outcome = await work.run(async (): Promise<Outcome> => {
      connections.next = cut;
      connections.refused = cut === 'before' && simulation.scheduler.now < processes.storeAwayUntil;
      const ended = await effect().then(
        (result) => ({ result }),
        (error: unknown) => ({ error: error as Error }),
      );
      connections.next = null;
      connections.refused = false;
      const mayHaveChanged =
        'error' in ended || (!CHANGES_NOTHING.test(method) && !isEmpty(ended.result));
      return { ...ended, snapshot: mayHaveChanged ? await snapshots.fetch() : null };
    }, true);
    if (outcome.snapshot) snapshots.apply(outcome.snapshot, replica);
    if ('result' in outcome) {
      const { result } = outcome;
      for (const [n, [account, observer]] of observers.entries())
        observer.answered(replica.of(account), method, args, { result, begun: begun[n] as Begun });
    }
    this.notify(outcome, args);
    return outcome;
  }

  /** Wakes finders now and after each duration in the arguments. */
  private notify(outcome: Outcome, args: readonly unknown[]): void {
    const { simulation, method } = this;
    const { scheduler } = simulation;
    const queues = queuesOf(method);
    if ('result' in outcome) {
      if (isEmpty(outcome.result) || CREATES_NO_WORK.test(method)) return;
      this.wakeFinders(queues);
    } else {
      scheduler.note(`${this.name} failed: ${outcome.error.message}`);
      for (const queue of queues) scheduler.changesAfter(0, queue);
    }
    noteDurations(args, 0, (ms) => {
      for (const queue of queues) scheduler.changesAfter(ms, queue);
    });
  }

  private answered(outcome: Outcome): void {
    const { simulation, replica, method } = this;
    simulation.scheduler.park(replica, `${replica.name} receives the answer of ${method}`, () => {
      if ('error' in outcome) this.reject(outcome.error);
      else this.resolve(outcome.result);
    });
  }
}
