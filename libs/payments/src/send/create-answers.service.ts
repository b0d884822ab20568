import { Injectable } from '@nestjs/common';
import { AnomaliesStore, ANOMALY } from '../store/anomalies.store.js';
import { PlatformClocks } from '../platform/platform-clock.js';
import { SECOND } from '../runtime/clock.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import type { FailedAttempts } from '../runtime/retry.js';
import type { CreateOutcome } from '../platform/sending.js';
import { Ledger } from '../ledger/ledger.js';
import { fail, type OperationChange } from '../ledger/operation-changes.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import type { Operation, OperationKey } from '../store/operation.js';
import { FOLLOWED_STATES, isOpen } from '../ledger/operation-states.js';
import { OperationsStore } from '../store/operations.store.js';

/** A create may still end shortly after its deadline; a `requested` operation counts as abandoned this much later. */
const ABANDONED_AFTER_MS = 15 * SECOND;

/** Stores that a create is about to be sent, and applies its answer. */
@Injectable()
export class CreateAnswersService<O extends Operation = Operation> {
  constructor(
    private readonly ledger: Ledger<O>,
    private readonly operations: OperationsStore<O>,
    private readonly anomalies: AnomaliesStore,
    private readonly clocks: PlatformClocks,
    private readonly kinds: OperationKinds,
    private readonly accounts: AccountRegistry,
  ) {}

  /**
   * Commits `requested` before the create is sent. Null when another process was faster and sends it, or when the time to send
   * is over. It stays due when it was: whoever finds it without an answer then waits for as long as one may come.
   * @param sender id of this attempt: when the answer to the commit is lost, it shows whether our commit succeeded
   */
  async markRequested(operation: O, sender: string): Promise<O | null> {
    const change: OperationChange = {
      via: 'request',
      set: { state: 'requested', sender, sentAt: this.clocks.clock(operation.account).now() },
    };
    return operation.state === 'created' ? this.ledger.commit(operation, change) : null;
  }

  /**
   * Applies the answer to a create. It never overwrites other evidence that came meanwhile.
   * @param asSent the operation as it was sent; it saves a read, because usually nothing has changed since
   * @param failures the attempts to send that failed before
   */
  async apply(asSent: O, outcome: CreateOutcome, failures?: FailedAttempts): Promise<O> {
    return this.ledger.change(
      asSent,
      async (operation, attempt) => {
        const change = await this.changeOf(operation, attempt, asSent.sender, outcome);
        return this.withAttempts(operation, change, failures?.lines ?? []);
      },
      asSent,
    );
  }

  /** Fails an operation that its sender has not sent. Nothing when it was not recorded. */
  async withdraw(
    { account, id }: OperationKey,
    sender: string,
    outcome: CreateOutcome & { kind: 'not_sent' },
  ): Promise<void> {
    if (await this.operations.find(account, id))
      await this.ledger.change({ account, id }, (operation) =>
        notCharged(operation, sender, outcome),
      );
  }

  /** Returns the milliseconds in which the create of a `requested` operation may still get its answer; 0 or less when it is abandoned. */
  answerWithinMs({ account, sendWithinMs }: Pick<O, 'account' | 'sendWithinMs'>): number {
    const { createTimeoutMs } = this.accounts.settings(account).http;
    return sendWithinMs + createTimeoutMs + ABANDONED_AFTER_MS;
  }

  /** Makes a `requested` operation `unknown`: its process stopped between the commit and the answer, so it may have been sent. */
  async giveUp(key: OperationKey): Promise<O> {
    const note = 'no answer was recorded: the create may have been sent';
    return this.ledger.change(key, ({ state }) =>
      state === 'requested'
        ? { via: 'request', set: { state: 'unknown' }, dueInMs: 0, note }
        : null,
    );
  }

  /**
   * Adds the failed attempts to a change. They are kept also when another process was faster, unless a commit whose answer was lost
   * has kept them.
   */
  private async withAttempts(
    { account, id }: O,
    change: OperationChange | null,
    attempts: readonly string[],
  ): Promise<OperationChange | null> {
    if (attempts.length === 0) return change;
    if (change) return { ...change, attempts };
    const history = await this.operations.history(account, id);
    return history.some(({ what }) => what === 'attempt')
      ? null
      : { via: 'request', set: {}, attempts };
  }

  /** Returns the change that the answer to the create makes in the operation as it is now. */
  private async changeOf(
    operation: O,
    attempt: number,
    sender: string | null,
    outcome: CreateOutcome,
  ): Promise<OperationChange | null> {
    const { state } = operation;
    switch (outcome.kind) {
      case 'created':
        return this.created(operation, attempt, outcome.id);
      case 'unknown':
        return state === 'requested'
          ? this.awaited(operation, { state: 'unknown' }, outcome.error.message)
          : null;
      case 'rejected':
      case 'not_sent':
        return notCharged(operation, sender, outcome);
    }
  }

  private async created(
    operation: O,
    attempt: number,
    createdId: string,
  ): Promise<OperationChange | null> {
    const { id, state, platformId, account } = operation;
    if (platformId !== null && platformId !== createdId) {
      await this.anomalies.record(account, ANOMALY.answeredWithAnotherId, id);
    }
    if (platformId !== null) return null;
    // The store refuses an id that another operation has. So the owner is read only after a refused commit.
    if (attempt > 0 && (await this.belongsToAnother(operation, createdId))) {
      await this.anomalies.record(account, ANOMALY.answeredWithIdOfAnother, id);
      return state === 'requested' ? this.awaited(operation, { state: 'unknown' }) : null;
    }
    if (isOpen(state)) {
      const change = this.awaited(operation, { state: 'pending', platformId: createdId });
      // A host's call reads the operation itself after it has sent it.
      const isDue = operation.inBackground && this.kinds.kind(operation).isReadAtOnce;
      return isDue ? { ...change, dueInMs: 0 } : change;
    }
    // The operation settled without an id. With the id it can be read.
    return {
      via: 'request',
      set: { platformId: createdId },
      ...(FOLLOWED_STATES.includes(state) && { dueInMs: 0 }),
    };
  }

  /** The platform has the operation, or may have it: the first read follows the schedule. */
  private awaited({ account }: O, set: OperationChange['set'], note?: string): OperationChange {
    const { scheduleMs } = this.accounts.settings(account).reconciliation;
    return {
      via: 'request',
      set,
      dueInMs: scheduleMs[0] as number,
      ...(note && { note }),
    };
  }

  private async belongsToAnother({ account, kind, id }: O, platformId: string): Promise<boolean> {
    const owner = await this.operations.findByPlatformId(account, kind, platformId);
    return owner !== null && owner.id !== id;
  }
}

/**
 * The create was certainly refused or not sent, so the operation fails, also when another process has made it `unknown`
 * meanwhile. An operation that another attempt sent stays as it is: that attempt's answer decides.
 */
function notCharged(
  operation: Operation,
  sender: string | null,
  { kind, error }: CreateOutcome & { kind: 'rejected' | 'not_sent' },
): OperationChange | null {
  const { state } = operation;
  const isOurs = sender !== null && operation.sender === sender;
  const unanswered =
    state === 'requested' || (state === 'unknown' && operation.platformId === null);
  return state === 'created' || (unanswered && isOurs)
    ? fail(operation, 'request', kind, [error.message])
    : null;
}
