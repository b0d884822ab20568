import type { SimulatedClock } from '../clock/clock.service.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import type { PlatformExchange } from './platform-exchange.dto.js';

/** Starts what a create asks for. With the fault `before-create-answer`, its result is delivered before the answer. */
export async function startWork(
  exchange: PlatformExchange,
  subject: FaultSubject,
  clock: SimulatedClock,
  work: (atOnce: boolean) => Promise<void>,
): Promise<void> {
  const early = exchange.inject('before-create-answer', subject);
  const done = work(early !== null);
  // The receiver may be waiting for the answer before it takes the result.
  if (early) await Promise.race([done, clock.wait(early.ms!)]);
}
