import type { Listener } from '../../libs/payments/src/listeners/listeners-explorer.js';
import { EVENT_NAMES } from '../../libs/payments/src/payments.events.js';
import type { SimulatedReplica } from './simulated.replica.js';
import { claimsOf } from './simulated.runtime.js';
import type { Processes } from './history.processes.js';
import type { Simulation } from './history.simulation.js';

/** The outcomes of a payment. Each has its own method. */
const METHODS: Readonly<Record<string, string>> = {
  'payment.failed': 'failed',
  'payment.succeeded': 'paid',
  'payment.reversed': 'reversed',
};

/** This is longer than the library waits for a listener. */
const HANGS_MS = 3 * 60_000;

/** One listener receives every event; a second one receives two of them; a class has a method for each outcome of a payment. */
export const LISTENERS: readonly { id: string; event: Listener['event'] }[] = EVENT_NAMES.flatMap(
  (event) => [
    { id: 'Shop.hear', event },
    ...(event === 'payment.succeeded' || event === 'till.transaction.received'
      ? [{ id: 'Mail.hear', event }]
      : []),
    ...(METHODS[event] === undefined ? [] : [{ id: `Orders.${METHODS[event]}`, event }]),
  ],
);

/** The host's listeners in one process. A call succeeds, throws before or after its work, takes long, or hangs. */
export class SimulatedListeners {
  constructor(
    private readonly processes: Processes,
    private readonly process: SimulatedReplica,
  ) {}

  listenersOf(account: string): Listener[] {
    const simulation = this.processes.worldOf(account);
    return LISTENERS.map(({ id, event }) => ({
      id,
      event,
      call: (payload) => this.call(simulation, id, event, payload as { eventId: string }),
    }));
  }

  /** The ids are those of no class, so no build can change them. */
  all(): Listener[] {
    return [];
  }

  check(): void {}

  private call(
    simulation: Simulation,
    id: string,
    event: string,
    payload: { eventId: string },
  ): Promise<void> {
    const { process } = this;
    const { scheduler } = simulation;
    const name = simulation.nthOf(`listener ${id} ${event} ${payload.eventId}`);
    const chance = simulation.chanceOf(name);
    const faulty = !simulation.faultsStopped && !simulation.isSuppressed(name);
    const throws = faulty && simulation.happens(chance, 'listener throws');
    const hangs = faulty && simulation.happens(chance, 'listener hangs');
    const slow = faulty && simulation.happens(chance, 'listener slow');
    if (throws || hangs || slow) simulation.faulted(name);
    simulation.crossTalk.listenerCalled(id, payload);
    simulation.checker.listeners.listenerCalled(
      process.of(simulation.account),
      id,
      event,
      payload.eventId,
    );
    process.listening += 1;
    if (process.listening === 1) scheduler.changed(claimsOf(process));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        process.listening -= 1;
        simulation.checker.listeners.listenerEnded(id, payload.eventId);
        if (hangs) return;
        if (throws && chance.happens(0.5)) {
          reject(new Error('the listener throws before its work'));
          return;
        }
        simulation.checker.listeners.received(id, event, payload.eventId);
        if (throws) reject(new Error('the listener throws after its work'));
        else resolve();
      };
      const ms = hangs ? HANGS_MS : slow ? chance.duration(100, 150_000) : 0;
      const label = `${process.name} listener ${id} receives ${event}`;
      if (ms > 0) scheduler.after(ms, process, label, end);
      else scheduler.park(process, label, end);
    });
  }
}
