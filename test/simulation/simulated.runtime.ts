import { Runtime, type CancelTimer } from '../../libs/payments/src/runtime/clock.js';
import type { Chance } from './seeded.chance.js';
import type { StepOwner, Queue, Scheduler } from './virtual.scheduler.js';

/** Clock, timers, random numbers and ids of one process: virtual time, with a clock that may be wrong. */
export class SimulatedRuntime extends Runtime {
  constructor(
    protected readonly scheduler: Scheduler,
    protected readonly owner: StepOwner,
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
    // Node changes a timer of 0 ms to 1 ms.
    const timer = this.scheduler.after(
      Math.max(1, ms),
      this.owner,
      `${this.owner.name} timer`,
      call,
    );
    return () => timer.cancel();
  }
}

/**
 * Returns the runtime of a finder. While nothing changes, its next look would find the same as the last one, so it waits for a change. If something
 * has changed since its last look began, it looks on time.
 */
export function forFinder(
  runtime: SimulatedRuntime,
  scheduler: Scheduler,
  owner: StepOwner,
): Runtime {
  const view = Object.create(runtime) as SimulatedRuntime;
  let { changes } = scheduler;
  view.timer = (ms, call) => {
    const look = (): void => {
      ({ changes } = scheduler);
      call();
    };
    const label = `${owner.name} look`;
    const timer =
      changes === scheduler.changes
        ? scheduler.afterChange(ms, owner, { label, queue: null, group: 'finders' }, look)
        : scheduler.after(Math.max(1, ms), owner, label, look);
    return () => timer.cancel();
  };
  return view;
}

/** Returns the pseudo-queue that changes when a listener call begins, because its claim must be renewed from then on. */
export function claimsOf({ name }: StepOwner): Queue {
  return `claims of ${name}`;
}

/** Returns the runtime of the dispatcher: it renews claims only while a listener call runs. */
export function forDispatcher(
  runtime: SimulatedRuntime,
  scheduler: Scheduler,
  owner: StepOwner & { listening: number },
): Runtime {
  const view = Object.create(runtime) as SimulatedRuntime;
  const queue = claimsOf(owner);
  view.timer = (ms, call, { background = false } = {}) => {
    const timer =
      background && owner.listening === 0
        ? scheduler.afterChange(
            ms,
            owner,
            { label: `${owner.name} renew`, queue, group: queue },
            call,
          )
        : scheduler.after(ms, owner, `${owner.name} timer`, call);
    return () => timer.cancel();
  };
  return view;
}
