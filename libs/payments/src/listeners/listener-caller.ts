import { accountAttributes, type AccountRegistry } from '../accounts/account-registry.js';
import type { Runtime } from '../runtime/clock.js';
import { errorStack, errorText, type LogFields, SafeLogger } from '../runtime/logging.js';
import { ATTRIBUTE } from '../runtime/telemetry/metrics-list.js';
import { type Outcome, processed } from '../runtime/telemetry/spans.js';
import { errorType } from '../runtime/telemetry/telemetry.js';
import type { ClaimOutcome } from '../store/claim.js';
import type { EventsStore, ListenerCall } from '../store/events.store.js';
import type { HostTransaction } from '../store/host-transaction.js';
import { revivePayload } from '../store/new-event.js';
import type { HostTransactions } from './host-transactions.js';
import type { Listener } from './listeners-explorer.js';

/** Longest stored text of a listener's error. */
const MAX_ERROR_LENGTH = 500;

/**
 * What became of a call.
 * - `outcome` must be stored
 * - `ended`: it was stored in the transaction in which the call was made
 * - `lost`: another process has the call, and it was not made
 */
type Made = { outcome: ClaimOutcome; error?: Outcome['error'] } | 'ended' | 'lost';

/** Makes one call of a listener, and says how its claim ends. */
export class ListenerCaller {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
    private readonly eventsStore: Pick<EventsStore, 'finishCallIn'>,
    private readonly transactions: HostTransactions,
  ) {}

  /**
   * @param listener undefined when this process does not have it
   * @returns the outcome to store; null when there is none, because it is stored already, or another process has the call
   */
  async outcomeOf(
    call: ListenerCall,
    listener: Listener | undefined,
  ): Promise<ClaimOutcome | null> {
    const { account, event, eventId, traceparent, attempts } = call;
    let outcome: ClaimOutcome | null = null;
    await processed(
      {
        destination: event,
        consumer: call.listener,
        messageId: eventId,
        traceparent,
        attempts,
        account: accountAttributes(this.accounts, account),
        more: { [ATTRIBUTE.account]: account },
      },
      this.runtime,
      async () => {
        const made = await this.made(call, listener);
        if (made === 'ended') return { kind: 'done' };
        if (made === 'lost') return { kind: 'retry', error: 'lost_lease' };
        ({ outcome } = made);
        return { kind: outcome.kind, ...(made.error !== undefined && { error: made.error }) };
      },
    );
    return outcome;
  }

  private async made(call: ListenerCall, listener: Listener | undefined): Promise<Made> {
    // A process of another version may have this listener. If none has, the call becomes a dead letter.
    if (!listener)
      return {
        outcome: this.failed(call, `this process has no such listener of ${call.event}`),
        error: 'missing_listener',
      };
    const { timeoutMs } = this.accounts.settings(call.account).listeners;
    let isCalled = false;
    try {
      if (listener.ready) {
        const late = (): Error => new Error(`it was not ready in ${timeoutMs} ms`);
        await this.runtime.inTime(listener.ready(), timeoutMs, late);
      }
      isCalled = true;
      if (listener.isTransactional) return await this.madeInTransaction(call, listener, timeoutMs);
      await this.runtime.inTime(
        listener.call(revivePayload(call.payload)),
        timeoutMs,
        () => new Error(`it did not end in ${timeoutMs} ms`),
      );
      return { outcome: { kind: 'done' } };
    } catch (error) {
      if (listener.once && isCalled) {
        this.logger.seldom(
          'error',
          call.listener,
          `an @OnEvent('${call.event}') listener failed and is not called again`,
          logFieldsOfCall(call),
          errorStack(error),
        );
        return { outcome: { kind: 'done' }, error: errorType(error) };
      }
      const outcome = this.failed(call, errorText(error).slice(0, MAX_ERROR_LENGTH));
      return { outcome, error: errorType(error) };
    }
  }

  /**
   * The transaction ends when the listener does, however late: a statement that the listener runs after a rollback would be outside of the transaction in
   * some libraries, and its effect would stay. After a timeout, and after an error, nobody may know how it ends. Then the outcome that is stored next
   * waits for that, and changes nothing if it was committed.
   */
  private async madeInTransaction(
    call: ListenerCall,
    listener: Listener,
    timeoutMs: number,
  ): Promise<Made> {
    const database = this.transactions.databaseFor(listener.id);
    const made = (transaction: HostTransaction): Promise<void> =>
      listener.call(revivePayload(call.payload), transaction);
    const isEnded = await this.runtime.inTime(
      this.eventsStore.finishCallIn(database, call, made, timeoutMs),
      timeoutMs,
      () => new Error(`it did not end in ${timeoutMs} ms, and its transaction may be open`),
    );
    if (isEnded) return 'ended';
    this.logger.warn(
      'a listener call was taken over by another replica before it began',
      logFieldsOfCall(call),
    );
    return 'lost';
  }

  private failed(call: ListenerCall, error: string): ClaimOutcome {
    const { account, listener, event, attempts } = call;
    const { retryScheduleMs } = this.accounts.settings(account).listeners;
    const outcome = repeatOrDeadLetter(attempts, retryScheduleMs, error);
    if (outcome.kind === 'retry') {
      // While a service of the host is away, each delivery fails.
      this.logger.seldom(
        'warn',
        listener,
        `listener ${listener} of ${event} failed, attempt ${attempts}, and will be repeated: ${error}`,
        logFieldsOfCall(call),
      );
      return { ...outcome, inMs: this.runtime.jittered(outcome.inMs) };
    }
    this.logger.error(
      `listener ${listener} of ${event} failed ${attempts} times and is a dead letter: ${error}`,
      logFieldsOfCall(call),
    );
    return outcome;
  }
}

export function logFieldsOfCall(call: ListenerCall): LogFields {
  const { account, listener, event, eventId, attempts: attempt } = call;
  return { account, listener, event, eventId, attempt };
}

/** A call that failed is repeated after the next wait of its account's schedule. When all waits were used, it is a dead letter. */
function repeatOrDeadLetter(
  attempts: number,
  retryScheduleMs: readonly number[],
  error: string,
): ClaimOutcome {
  const inMs = retryScheduleMs[attempts - 1];
  return inMs === undefined ? { kind: 'given_up', error } : { kind: 'retry', inMs, error };
}
