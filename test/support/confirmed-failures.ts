import type { Simulator } from '@tillkit/simulator';
import { until } from './until.js';

/** The minutes in which the platform may still transfer what it has called `Cancelled`, with a margin. */
const MINUTES_MS = 160_000;

/** Reads an operation from the platform now. */
interface Checks {
  check(id: string): Promise<{ state: string }>;
}

/**
 * Moves the platform's clock past the minutes after a `Cancelled`, and reads the operation until the platform has said so again. The read
 * that is due then comes by itself, but a test need not wait for it.
 */
export async function confirmFailure(
  simulator: Simulator,
  operations: Checks,
  id: string,
): Promise<void> {
  await simulator.idle();
  await operations.check(id);
  await simulator.clock.advance(MINUTES_MS);
  await until(async () => (await operations.check(id)).state !== 'pending');
}
