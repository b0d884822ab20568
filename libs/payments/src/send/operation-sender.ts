import { Injectable } from '@nestjs/common';
import { PaymentsError, StoreUnavailableError } from '../payments.errors.js';
import {
  PlatformRedirectError,
  PlatformRejectedError,
  PlatformTimeoutError,
  PlatformUnauthorizedError,
} from '../platform.errors.js';
import { PlatformWaits } from '../platform/background-requests.js';
import {
  FailedAttempts,
  jitterAfterLeast,
  retryWhileStoreIsAway,
  spread,
} from '../runtime/retry.js';
import {
  type Attempt,
  type CreateOutcome,
  tooLateToSend,
  type Sending,
} from '../platform/sending.js';
import { Resources } from '../platform/resources.js';
import { LOOK_AGAIN_MS } from '../platform/http/refused-creates.js';
import { UNASKED_MS } from '../platform/http/write-permission.js';
import { MINUTE, Runtime, SECOND, TimeLimit } from '../runtime/clock.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { SafeLogger } from '../runtime/logging.js';
import { CreateAnswersService } from './create-answers.service.js';
import { Ledger } from '../ledger/ledger.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import { logFieldsOf, type Operation } from '../store/operation.js';

/** An operation of `record()` keeps others that could be sent waiting for this long. It is tried again after the same time. */
export const HOLDS_OTHERS_MS = 2 * SECOND;

/** A process tries to store the answer to a create for this long. */
const KEEP_ANSWER_MS = MINUTE;

/** A host's call tries for this long to learn whether its commit of `requested` succeeded. */
const ASK_STORE_MS = 10 * SECOND;

/**
 * A process tries for `forMs` to store that an operation was not sent, and waits at most `longestMs` between two tries. Each call of the
 * host in an outage of the store leaves one such operation.
 */
const KEEP_NOT_SENT = { forMs: 10 * MINUTE, longestMs: 30 * SECOND } as const;

/** Errors of a token request that a repeat cannot help, because settings are wrong. */
const REFUSALS = [PlatformUnauthorizedError, PlatformRejectedError, PlatformRedirectError];

/**
 * Sends recorded operations, each at most once across all replicas. An operation of `request()` is sent only during that call: a call
 * that ended in an error never moves money later.
 * @see docs/promises.md#who-sends-and-when
 */
@Injectable()
export class OperationSender<O extends Operation = Operation> {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly ledger: Ledger<O>,
    private readonly answers: CreateAnswersService<O>,
    private readonly kinds: OperationKinds,
    private readonly resources: Resources,
    private readonly shutdown: ShutdownSignal,
    private readonly waits: PlatformWaits,
    private readonly runtime: Runtime,
  ) {}

  /** Begins an attempt before its operation is recorded: the time in which it may be sent begins now. */
  begin(operation: Pick<O, 'account' | 'kind' | 'id' | 'sendWithinMs'>): Attempt {
    const { account, sendWithinMs } = operation;
    const { tokens, client } = this.resources.resources(account);
    const sender = this.runtime.id();
    const isReady =
      tokens.status === 'valid' &&
      client.clock.isKnown &&
      client.refusalOf(this.kinds.kind(operation).callbackResource) === null &&
      this.waits.leftMs(account, 'creates') === 0;
    return {
      limit: new TimeLimit(this.runtime, sendWithinMs),
      unasked: this.unasked(),
      sender,
      mark: isReady ? { sender, sentAt: client.clock.now() } : undefined,
    };
  }

  /**
   * Sends an operation that is `created`, or that was recorded as `requested` for this attempt, and applies the answer. It sends nothing when
   * another process was faster, or when the time to send is over. Resolves with the operation after it: an operation of `record()` stays
   * `created` while sending is paused, while the platform wants no creates, and while there is no token. The caller tries again, because
   * others must not wait for it.
   * @param attempt began before the recording, so what the store says is left counts from then: its answer may have been long on its way
   * @throws StoreUnavailableError when the store is unavailable before anything is sent; then nothing is sent later either
   */
  async send(operation: O, attempt = this.begin(operation)): Promise<O> {
    const limit = attempt.limit.atMost(operation.sendWithinMs);
    const failures = new FailedAttempts(this.runtime);
    const { sender } = attempt;
    if (operation.sender === sender) {
      const requested = await this.unlessLate(operation, sender, limit);
      return this.sendRequested(requested, { ...attempt, limit, failures });
    }
    const refusal = await this.prepare(operation, limit, failures);
    // The operation stays `created`. A repeat sends it, if its time to be sent is not over.
    if (refusal === 'later') return operation;
    if (refusal)
      return this.answers.apply(operation, { kind: 'not_sent', error: refusal }, failures);
    const unasked = this.unasked();
    const requested = await this.markRequested(operation, sender, limit);
    if (requested.sender !== sender) return requested;
    return this.sendRequested(requested, { limit, failures, unasked });
  }

  /** The recording, or the commit of `requested`, begins after it: what counts is when a pause could be stored at the earliest. */
  private unasked(): TimeLimit {
    return new TimeLimit(this.runtime, UNASKED_MS);
  }

  private async sendRequested(operation: O, sending: Sending): Promise<O> {
    // The operation was too late to become `requested`.
    if (operation.state !== 'requested') return operation;
    const kind = this.kinds.kind(operation);
    const { account, id } = operation;
    const callbackUrl = this.resources
      .resources(account)
      .urls.callback(account, kind.callbackResource, id);
    const outcome = await kind.send(operation, callbackUrl, sending);
    return this.keepAnswer(operation, outcome, KEEP_ANSWER_MS, sending.failures);
  }

  /** Fails an operation as `not_sent`: its time to be sent is over, and it certainly was not sent. */
  async tooLate(operation: O): Promise<O> {
    return this.answers.apply(operation, this.late(operation));
  }

  /**
   * Commits `requested`. When the answer to the commit is lost, the commit may have succeeded, or may still succeed. Then this
   * method reads and commits again, until the operation is certainly ours to send, or certainly not.
   */
  private async markRequested(operation: O, sender: string, limit: TimeLimit): Promise<O> {
    const storeLimit = new TimeLimit(
      this.runtime,
      operation.inBackground ? limit.leftMs : Math.min(limit.leftMs, ASK_STORE_MS),
    );
    let current = operation;
    for (let failures = 0; ; failures += 1) {
      try {
        if (failures > 0) current = await this.ledger.find(operation);
        if (current.state !== 'created') return await this.unlessLate(current, sender, limit);
        const requested = await this.answers.markRequested(current, sender);
        if (requested) return await this.unlessLate(requested, sender, limit);
        current = await this.ledger.find(operation);
        if (current.state !== 'created' || isLate(current, limit))
          return await this.unlessLate(current, sender, limit);
        // The store refused although nothing has changed: sending is paused.
        if (operation.inBackground) return current;
        if (!(await this.shutdown.pause(jitterAfterLeast(this.runtime, failures)))) return current;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (
          storeLimit.isOver ||
          !(await this.shutdown.pause(jitterAfterLeast(this.runtime, failures)))
        ) {
          this.giveUp(current, sender);
          throw error;
        }
      }
    }
  }

  /** Fails an operation of ours that is too late. It certainly was not sent, because nothing was written to a socket yet. */
  private async unlessLate(operation: O, sender: string, limit: TimeLimit): Promise<O> {
    const ours = operation.state === 'created' || operation.sender === sender;
    if (!isLate(operation, limit) || !ours) return operation;
    return this.keepAnswer(operation, this.late(operation), KEEP_ANSWER_MS);
  }

  /** Says that an operation was certainly not sent, because its time is over. */
  private late(operation: Pick<O, 'kind' | 'id'>): CreateOutcome & { kind: 'not_sent' } {
    return { kind: 'not_sent', error: tooLateToSend(`send ${this.nounOf(operation)}`) };
  }

  /** The call ends in an error and sends nothing. This is stored in the background, as soon as the store is available. */
  giveUp(operation: Pick<O, 'account' | 'id' | 'kind'>, sender: string): void {
    const late = this.late(operation);
    retryWhileStoreIsAway(
      this.shutdown,
      this.runtime,
      KEEP_NOT_SENT.forMs,
      () => this.answers.withdraw(operation, sender, late),
      KEEP_NOT_SENT.longestMs,
    ).catch((error: unknown) =>
      this.logger.error(
        `a ${this.nounOf(operation)} was not sent, and this could not be stored: ${String(error)}`,
        logFieldsOf(operation),
      ),
    );
  }

  /**
   * Retries while the store is unavailable: the answer has the platform's id. Without the id, only a callback or matching can find
   * the outcome.
   */
  private async keepAnswer(
    asSent: O,
    outcome: CreateOutcome,
    forMs: number,
    failures?: FailedAttempts,
  ): Promise<O> {
    return retryWhileStoreIsAway(this.shutdown, this.runtime, forMs, () =>
      this.answers.apply(asSent, outcome, failures),
    );
  }

  /**
   * Gets a token and the platform's clock before the operation becomes `requested`. Without a token nothing can be charged, even if
   * this process dies. The time of sending decides which transactions can belong to the operation; with a wrong clock of ours, its
   * transaction could be matched to another operation. Resolves with the reason when one of them is not available in time.
   */
  private async prepare(
    operation: O,
    limit: TimeLimit,
    failures: FailedAttempts,
  ): Promise<PaymentsError | 'later' | null> {
    const mayWaitMs = operation.inBackground ? HOLDS_OTHERS_MS : Number.POSITIVE_INFINITY;
    const beganAt = this.runtime.elapsed();
    const { tokens, client } = this.resources.resources(operation.account);
    for (let repeats = 0; ; repeats += 1) {
      if (limit.isOver) return this.late(operation).error;
      const refusal = client.refusalOf(this.kinds.kind(operation).callbackResource);
      try {
        if (refusal) throw refusal.error;
        this.waits.assertOpen(operation.account, 'creates', `send ${this.nounOf(operation)}`);
        const ready = tokens.get().then(() => client.learnClock());
        // A host that swallows connections would hold the operation for longer than it may be sent, and others with it.
        await this.runtime.inTime(ready, Math.min(limit.leftMs, mayWaitMs), noToken);
        return null;
      } catch (error) {
        if (!(error instanceof PaymentsError)) throw error;
        failures.add(error);
        const isFinal = !refusal && REFUSALS.some((type) => error instanceof type);
        const closedMs = refusal?.heldMs ?? this.waits.leftMs(operation.account, 'creates');
        const waitMs = closedMs
          ? spread(this.runtime, closedMs, limit.leftMs)
          : jitterAfterLeast(this.runtime, repeats);
        if (isFinal || waitMs > limit.leftMs) return error;
        const waitedMs = this.runtime.elapsed() - beganAt;
        const pauseMs = refusal ? Math.min(waitMs, LOOK_AGAIN_MS) : waitMs;
        if (waitedMs + closedMs > mayWaitMs || !(await this.shutdown.pause(pauseMs)))
          return 'later';
      }
    }
  }

  private nounOf(operation: Pick<O, 'kind' | 'id'>): string {
    return this.kinds.kind(operation).noun;
  }
}

function noToken(): PlatformTimeoutError {
  return new PlatformTimeoutError('get token', new Error('no answer in time'));
}

/** True when the time to send is over, by the store or by a clock of this machine. */
function isLate({ sendWithinMs }: Operation, limit: TimeLimit): boolean {
  return limit.isOver || sendWithinMs <= 0;
}
