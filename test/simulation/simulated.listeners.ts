import type { Listener } from '../../libs/payments/src/events/listeners.explorer.js';
import { EVENT_NAMES } from '../../libs/payments/src/events/payments.events.js';
import type { SimulatedReplica } from './simulated.replica.js';
import { claimsOf } from './simulated.runtime.js';
import type { World } from './simulated.world.js';

/** Longer than the library waits for a listener. */
const HANGS_MS = 3 * 60_000;

/** Every event is received by the shop; the two that matter most by a second listener as well. */
export const LISTENERS: readonly { id: string; event: Listener['event'] }[] = EVENT_NAMES.flatMap(
  (event) => [
    { id: 'Shop.hear', event },
    ...(event === 'payment.succeeded' || event === 'till.transaction.received'
      ? [{ id: 'Mail.hear', event }]
      : []),
  ],
);

/** The host's listeners in one process: they work, throw before or after they did their work, take long, or hang. */
export class SimulatedListeners {
  constructor(
    private readonly world: World,
    private readonly replica: SimulatedReplica,
  ) {}

  listenersOf(): Listener[] {
    return LISTENERS.map(({ id, event }) => ({
      id,
      event,
      call: (payload) => this.call(id, event, payload as { eventId: string }),
    }));
  }

  private call(id: string, event: string, payload: { eventId: string }): Promise<void> {
    const { world, replica } = this;
    const { scheduler } = world;
    const name = world.nthOf(`listener ${id} ${event} ${payload.eventId}`);
    const chance = world.chanceOf(name);
    const faulty = !world.quiet && !world.isSuppressed(name);
    const throws = faulty && world.happens(chance, 'listener throws');
    const hangs = faulty && world.happens(chance, 'listener hangs');
    const slow = faulty && world.happens(chance, 'listener slow');
    if (throws || hangs || slow) world.faulted(name);
    world.checker.listenerCalled(replica, id, event, payload.eventId);
    replica.listening += 1;
    if (replica.listening === 1) scheduler.changed(claimsOf(replica));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        replica.listening -= 1;
        world.checker.listenerEnded(id, payload.eventId);
        if (hangs) return;
        if (throws && chance.happens(0.5)) {
          reject(new Error('the listener throws before it has done anything'));
          return;
        }
        world.checker.received(id, event, payload.eventId);
        if (throws) reject(new Error('the listener throws after it has done everything'));
        else resolve();
      };
      const ms = hangs ? HANGS_MS : slow ? chance.duration(100, 150_000) : 0;
      const label = `${replica.name} listener ${id} hears ${event}`;
      if (ms > 0) scheduler.after(ms, replica, label, end);
      else scheduler.park(replica, label, end);
    });
  }
}
