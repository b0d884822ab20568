import type { Cut } from './faulty.socket.js';
import type { PostgresBackend } from './postgres.backend.js';
import type { Begun, Snapshot } from './postgres.observer.js';
import type { Stall } from './postgres.server.js';
import {
  isEmpty,
  isLookUp,
  MOST_READS,
  noteDurations,
  queuesOf,
  QUIET,
  StoreCall,
} from './simulated.store.js';

/** Calls after which nothing can look different. */
const CHANGES_NOTHING =
  /^(init|sweeps|tokens|statistics|anomalies\.list)|\.(find|list|history|register|deadLetters)/;

type Outcome = ({ result: unknown } | { error: Error }) & { snapshot: Snapshot | null };

/** One call of a real PostgresStore: its faults are those of connections, locks and the server. */
export class PostgresCall extends StoreCall {
  override made(): Promise<unknown> {
    const { world, replica, method } = this;
    const { scheduler } = world;
    if (isLookUp(method) && replica.readsInHour(scheduler.now) > MOST_READS) {
      world.violate('bounded', `${replica.name} looks things up ${MOST_READS} times in an hour`);
    }
    const process = this.backend.processOf(replica);
    // It looks once for its schema, for all who ask: nobody else sends a statement.
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
    const chance = world.chanceOf(this.name);
    const label = `${replica.name} store.${method}`;
    const park = (what: string, run: () => void): void =>
      scheduler.park(replica, `${label}${what}`, run);
    if (fault !== null) world.faulted(this.name);
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
    return this.world.backend as PostgresBackend;
  }

  private go(cut: Cut | null): void {
    if (cut === 'answer') this.world.met('store answer lost after commit');
    void this.happened(cut, () => this.effect()).then((outcome) => this.answered(outcome));
  }

  private conflict(failures: number): void {
    const { server } = this.backend;
    this.world.met('serialization failure or deadlock');
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
    const { world, replica } = this;
    void this.happened(cut, () => this.effect()).then(() => {
      if (!replica.alive) return;
      world.met('crash between commit and answer');
      world.crash(replica, downMs);
    });
  }

  /** Others of this process stand still as well, where they write. */
  private stall(place: Stall, how: 'commit' | 'cancel', releasedMs: number): void {
    const { world, replica, backend } = this;
    const { name } = replica;
    const ended = this.happened(null, async () => {
      if (!(await backend.server.stall(name, place))) return this.effect();
      backend.releaseLater(name, place, how, releasedMs);
      return this.effect();
    });
    void ended.then((outcome) => {
      if ('error' in outcome) world.met(`statement abandoned at its ${place}`);
      this.answered(outcome);
    });
  }

  /** Takes effect in the real database, and lets those who watch see what became of it. */
  private async happened(cut: Cut | null, effect: () => Promise<unknown>): Promise<Outcome> {
    const { world, replica, method, args, backend } = this;
    const { observer, work } = backend;
    const { connections } = backend.processOf(replica);
    const begun = observer.begun(method, args);
    const outcome = await work.run(async (): Promise<Outcome> => {
      connections.next = cut;
      connections.refused = cut === 'before' && world.scheduler.now < world.storeAwayUntil;
      const ended = await effect().then(
        (result) => ({ result }),
        (error: unknown) => ({ error: error as Error }),
      );
      connections.next = null;
      connections.refused = false;
      const looks = 'error' in ended || (!CHANGES_NOTHING.test(method) && !isEmpty(ended.result));
      return { ...ended, snapshot: looks ? await observer.fetch() : null };
    }, true);
    if (outcome.snapshot) observer.apply(outcome.snapshot, replica);
    this.tell(outcome, args, begun);
    return outcome;
  }

  /** Others may find something now, or once a time that the call named is over. */
  private tell(outcome: Outcome, args: readonly unknown[], begun: Begun): void {
    const { world, replica, method, backend } = this;
    const { scheduler } = world;
    const queues = queuesOf(method);
    if ('result' in outcome) {
      backend.observer.answered(replica, method, args, { result: outcome.result, begun });
      if (isEmpty(outcome.result) || QUIET.test(method)) return;
      this.tellOthers(queues);
    } else {
      scheduler.note(`${this.name} failed: ${outcome.error.message}`);
      for (const queue of queues) scheduler.changesAfter(0, queue);
    }
    noteDurations(args, 0, (ms) => {
      for (const queue of queues) scheduler.changesAfter(ms, queue);
    });
  }

  private answered(outcome: Outcome): void {
    const { world, replica, method } = this;
    world.scheduler.park(replica, `${replica.name} receives the answer of ${method}`, () => {
      if ('error' in outcome) this.reject(outcome.error);
      else this.resolve(outcome.result);
    });
  }
}
