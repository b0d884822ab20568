import { assertRipe, notResolvable } from '../ledger/resolution.js';
import { isFinal, isOpen, sentForMs } from '../ledger/operation-states.js';
import type { WatchedOperations } from '../ledger/watched-operations.js';
import { PlatformRejectedError } from '../payments.errors.js';
import type { Operation, OperationState } from '../store/operation.js';

/** A person's decision on an operation. */
interface PersonsDecision<O extends Operation> {
  /** The state of the decision. */
  decided: OperationState;
  apply: (operation: O) => Promise<O>;
  watched: WatchedOperations<O>;
  /** The time in which operations of the account may be sent. */
  sendBeforeMs: number;
}

/**
 * Applies a person's decision. What has no outcome is read first, also in review: what the platform says now wins, so that nobody who is back after
 * an outage denies what it knows by now.
 * @throws OperationNotResolvableError when the platform may still say by itself what became of it, or says something else now
 * @throws PlatformError | PlatformUnreachableError | PlatformTimeoutError | CircuitOpenError when it could not be read: nothing is decided
 */
export async function decideAfterRead<O extends Operation>(
  operation: O,
  { decided, apply, watched, sendBeforeMs }: PersonsDecision<O>,
): Promise<O> {
  const { state } = operation;
  if (state === 'created' || isFinal(state)) return apply(operation);
  if (isOpen(state)) assertRipe(operation, sentForMs(operation, sendBeforeMs));
  const read = await watched.check(operation).catch((error: unknown) => {
    // The platform does not have it: that is no outcome.
    if (error instanceof PlatformRejectedError && error.status === 404) return operation;
    throw error;
  });
  if (read.state === decided) return read;
  if (!isFinal(read.state)) return apply(read);
  throw notResolvable(read, `the platform says now that it is ${read.state}: look at it again`);
}
