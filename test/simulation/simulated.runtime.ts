import { Runtime, type CancelTimer } from '../../libs/payments/src/runtime/runtime.js';
import type { Chance } from './seeded.chance.js';
import type { Life, Queue, Scheduler } from './virtual.scheduler.js';

/** Time and chance of one process: virtual time with a clock of its own, which may be wrong. */
export class SimulatedRuntime extends Runtime {
  constructor(
    protected readonly scheduler: Scheduler,
    protected readonly life: Life,
    private readonly chance: Chance,
    private readonly skewMs: number,
  ) {
    super();
  }

  override now(): number {
    return this.scheduler.now + this.skewMs;
  }

  override elapsed(): number {
    return this.scheduler.now;
  }

  override random(): number {
    return this.chance.next();
  }

  override id(): string {
    const time = this.now().toString(16).padStart(12, '0');
    const hex = (digits: number): string =>
      Math.floor(this.chance.next() * 16 ** digits)
        .toString(16)
        .padStart(digits, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
  }

  override timer(ms: number, call: () => void, _options?: { background?: boolean }): CancelTimer {
    // Node makes a timer of 0 one of 1 ms.
    const timer = this.scheduler.after(Math.max(1, ms), this.life, `${this.life.name} timer`, call);
    return () => timer.cancel();
  }
}

/** Waits shorter than this gather work and end on time; longer ones are looks for work. */
const SHORTEST_LOOK_MS = 50;

/** The runtime of a work loop: its looks for work wait until there may be some. */
export function forWorkLoop(
  runtime: SimulatedRuntime,
  scheduler: Scheduler,
  life: Life,
  { queue, group }: { queue: Queue | null; group: string },
): Runtime {
  const view = Object.create(runtime) as SimulatedRuntime;
  view.timer = (ms, call) => {
    const timer =
      ms < SHORTEST_LOOK_MS
        ? scheduler.after(ms, life, `${life.name} gather`, call)
        : scheduler.afterChange(ms, life, { label: `${life.name} look`, queue, group }, call);
    return () => timer.cancel();
  };
  return view;
}

/** What changes when a listener begins: its claim must be renewed from then on. */
export function claimsOf({ name }: Life): Queue {
  return `claims of ${name}`;
}

/** The runtime of the dispatcher: it renews its claims while a listener is under way, which is a change; else it need not. */
export function forDispatcher(
  runtime: SimulatedRuntime,
  scheduler: Scheduler,
  life: Life & { listening: number },
): Runtime {
  const view = Object.create(runtime) as SimulatedRuntime;
  const queue = claimsOf(life);
  view.timer = (ms, call, { background = false } = {}) => {
    const timer =
      background && life.listening === 0
        ? scheduler.afterChange(
            ms,
            life,
            { label: `${life.name} renew`, queue, group: queue },
            call,
          )
        : scheduler.after(ms, life, `${life.name} timer`, call);
    return () => timer.cancel();
  };
  return view;
}
