import type { BackgroundRequests } from '../../libs/payments/src/http/background-requests.js';
import { CircuitOpenError } from '../../libs/payments/src/payments.errors.js';
import { CIRCUIT } from '../../libs/payments/src/runtime/backoff.js';
import type { Processes } from './history.processes.js';
import type { SimulatedReplica } from './simulated.replica.js';

/** The error of an open circuit, as the circuit breaker makes it: the rate limiter's has a reason. */
const OPEN_CIRCUIT = new CircuitOpenError(1_000).message.replace(/[\d.]+/g, '');

/** A process hears what another one was asked while that wait lasts, and then waits as long itself. The rest is jitter. */
const OBEYED_FOR_MS = 3 * CIRCUIT.longestRetryAfterMs;

/**
 * Notes which accounts wait for turns of background requests, and checks that no circuit is open for an account whose platform has not
 * failed.
 */
export function watchBackgroundRequests(
  processes: Processes,
  replica: SimulatedReplica,
  background: BackgroundRequests,
): void {
  const { waiting, troubled } = replica;
  const run = background.run.bind(background);
  background.run = async (account, kind, request) => {
    waiting.set(account, (waiting.get(account) ?? 0) + 1);
    try {
      return await run(account, kind, request);
    } catch (error) {
      const isOpen =
        error instanceof CircuitOpenError && error.message.replace(/[\d.]+/g, '') === OPEN_CIRCUIT;
      // What the platform asks one process, all processes of the account obey.
      const askedAt = processes.worldOf(account).platform.askedToWaitAt;
      const wasAsked = processes.scheduler.now <= askedAt + OBEYED_FOR_MS;
      if (isOpen && !troubled.has(account) && !wasAsked)
        processes.violate(
          'waits for another account',
          `the circuit of ${account} is open in ${replica.name}, and its platform has never failed there`,
        );
      throw error;
    } finally {
      waiting.set(account, (waiting.get(account) ?? 0) - 1);
    }
  };
}
