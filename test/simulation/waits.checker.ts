import type {
  BackgroundRequests,
  PlatformWaits,
} from '../../libs/payments/src/platform/background-requests.js';
import { CircuitOpenError } from '../../libs/payments/src/platform.errors.js';
import type { Processes } from './history.processes.js';
import type { SimulatedReplica } from './simulated.replica.js';

/** The error of an open circuit, as the circuit breaker makes it: the rate limiter's has a reason. */
const OPEN_CIRCUIT = new CircuitOpenError(1_000).message.replace(/[\d.]+/g, '');

/** Checks that no account waits in a process because the platform of another account has failed there, or has asked for a wait. */
export function watchWaits(
  processes: Processes,
  replica: SimulatedReplica,
  background: BackgroundRequests,
  waits: PlatformWaits,
): void {
  const { name, troubled } = replica;
  const run = background.run.bind(background);
  background.run = async (account, kind, request) => {
    try {
      return await run(account, kind, request);
    } catch (error) {
      const isOpen =
        error instanceof CircuitOpenError && error.message.replace(/[\d.]+/g, '') === OPEN_CIRCUIT;
      if (isOpen && !troubled.has(account))
        processes.violate(
          'waits for another account',
          `the circuit of ${account} is open in ${name}, and its platform has never failed there`,
        );
      throw error;
    }
  };
  const leftMs = waits.leftMs.bind(waits);
  waits.leftMs = (account, kind) => {
    const left = leftMs(account, kind);
    if (left > 0) processes.reached('the platform of one account asks to wait');
    if (left > 0 && !troubled.has(account))
      processes.violate(
        'waits for another account',
        `${account} waits in ${name}, and its platform has never asked for that there`,
      );
    return left;
  };
}
