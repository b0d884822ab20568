import { Injectable } from '@nestjs/common';
import { CreateAnswersService } from '../../ledger/create-answers.service.js';
import { Ledger } from '../../ledger/ledger.js';
import {
  PaymentsError,
  PlatformRedirectError,
  PlatformRejectedError,
  PlatformTimeoutError,
  PlatformUnauthorizedError,
  StoreUnavailableError,
} from '../../payments.errors.js';
import { PaymentsAccounts } from '../../payments.accounts.js';
import { CallbackUrls } from '../../resources/callback-urls.js';
import type { CompleteIncomingPayment } from '../../resources/incoming-payments/incoming-payment.resource.js';
import { FailedAttempts } from '../../resources/failed-attempts.js';
import type { CreateOutcome } from '../../resources/platform.client.js';
import { Resources } from '../../resources/resources.js';
import { jitterAfterLeast, SENDING } from '../../runtime/backoff.js';
import { retryWhileStoreIsAway } from '../../runtime/retry.js';
import { Runtime } from '../../runtime/runtime.js';
import { ShutdownSignal } from '../../runtime/shutdown.signal.js';
import { TimeLimit } from '../../runtime/time-limit.js';
import type { PaymentRecord } from './payment.js';
import { SafeLogger } from '../../runtime/safe.logger.js';

/** Errors of a token request that a repeat cannot help, because settings are wrong. */
const REFUSALS = [PlatformUnauthorizedError, PlatformRejectedError, PlatformRedirectError];

/**
 * Sends recorded payments, each at most once across all replicas. A payment of `request()` is sent only during that call: a call
 * that ended in an error never charges later.
 * @see docs/promises.md#who-sends-and-when
 */
@Injectable()
export class PaymentSender {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly ledger: Ledger<PaymentRecord>,
    private readonly answers: CreateAnswersService<PaymentRecord>,
    private readonly resources: Resources,
    private readonly urls: CallbackUrls,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: PaymentsAccounts,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Sends a `created` payment and applies the answer. It sends nothing when another process was faster, or when the time to send
   * is over. Resolves with the payment after it.
   * @throws StoreUnavailableError when the store is unavailable before anything is sent; then nothing is sent later either
   */
  async send(payment: PaymentRecord): Promise<PaymentRecord> {
    const limit = new TimeLimit(this.runtime, payment.sendWithinMs);
    const failures = new FailedAttempts(this.runtime);
    const refusal = await this.prepare(payment, limit, failures);
    // The payment stays `created`. A repeat with the same key sends it, if its time to be sent is not over.
    if (refusal === 'shutdown') return payment;
    if (refusal) return this.answers.apply(payment, { kind: 'not_sent', error: refusal }, failures);

    const sender = this.runtime.id();
    const requested = await this.markRequested(payment, sender, limit);
    if (requested.state !== 'requested' || requested.sender !== sender) return requested;
    const outcome = await this.resources
      .of(payment.account)
      .incomingPayments.post(this.toSend(payment), limit, failures);
    return this.keepAnswer(requested, outcome, SENDING.keepAnswerMs, failures);
  }

  /** Milliseconds in which the create of a `requested` payment may still get its answer; 0 or less when it is abandoned. */
  answerWithinMs({ account, sendWithinMs }: PaymentRecord): number {
    const { createTimeoutMs } = this.accounts.of(account).http;
    return sendWithinMs + createTimeoutMs + SENDING.abandonedAfterMs;
  }

  /** Fails a payment as `not_sent`: its time to be sent is over, and it certainly was not sent. */
  async tooLate(payment: PaymentRecord): Promise<PaymentRecord> {
    return this.answers.apply(payment, { kind: 'not_sent', error: tooLate() });
  }

  /**
   * Commits `requested`. When the answer to the commit is lost, the commit may have succeeded, or may still succeed. Then this
   * method reads and commits again, until the payment is certainly ours to send, or certainly not.
   */
  private async markRequested(
    payment: PaymentRecord,
    sender: string,
    limit: TimeLimit,
  ): Promise<PaymentRecord> {
    const giveUpInMs = this.answerWithinMs({ ...payment, sendWithinMs: limit.leftMs });
    const storeLimit = new TimeLimit(
      this.runtime,
      payment.inBackground ? limit.leftMs : Math.min(limit.leftMs, SENDING.askStoreMs),
    );
    let current = payment;
    for (let failures = 0; ; failures += 1) {
      try {
        if (failures > 0) current = await this.ledger.find(payment);
        if (current.state !== 'created') return await this.unlessLate(current, sender, limit);
        const requested = await this.answers.markRequested(current, sender, giveUpInMs);
        if (requested) return await this.unlessLate(requested, sender, limit);
        current = await this.ledger.find(payment);
        if (current.state !== 'created' || isLate(current, limit))
          return await this.unlessLate(current, sender, limit);
        // The store refused although nothing has changed: its clock reaches the end of the time to send before ours.
        if (!(await this.shutdown.pause(jitterAfterLeast(this.runtime, failures)))) return current;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (
          storeLimit.isOver ||
          !(await this.shutdown.pause(jitterAfterLeast(this.runtime, failures)))
        ) {
          this.giveUpSending({ ...current, sender });
          throw error;
        }
      }
    }
  }

  /** Fails a payment of ours that is too late. It certainly was not sent, because nothing was written to a socket yet. */
  private async unlessLate(
    payment: PaymentRecord,
    sender: string,
    limit: TimeLimit,
  ): Promise<PaymentRecord> {
    const ours = payment.state === 'created' || payment.sender === sender;
    if (!isLate(payment, limit) || !ours) return payment;
    return this.keepAnswer(payment, { kind: 'not_sent', error: tooLate() }, SENDING.keepAnswerMs);
  }

  /** The call ends in an error and sends nothing. This is stored in the background, as soon as the store is available. */
  private giveUpSending(payment: PaymentRecord): void {
    this.keepAnswer(payment, { kind: 'not_sent', error: tooLate() }, SENDING.keepNotSentMs).catch(
      (error: unknown) =>
        this.logger.error(
          `payment ${payment.id} was not sent, and this could not be stored: ${String(error)}`,
        ),
    );
  }

  /**
   * Retries while the store is unavailable: the answer has the platform's id. Without the id, only a callback or matching can find
   * the outcome.
   */
  private async keepAnswer(
    asSent: PaymentRecord,
    outcome: CreateOutcome,
    forMs: number,
    failures?: FailedAttempts,
  ): Promise<PaymentRecord> {
    return retryWhileStoreIsAway(this.shutdown, this.runtime, forMs, () =>
      this.answers.apply(asSent, outcome, failures),
    );
  }

  /**
   * Gets a token and the platform's clock before the payment becomes `requested`. Without a token nothing can be charged, even if
   * this process dies. The time of sending decides which transactions can belong to the payment; with a wrong clock of ours, its
   * transaction could be matched to another payment. Resolves with the reason when one of them is not available in time.
   */
  private async prepare(
    { account }: PaymentRecord,
    limit: TimeLimit,
    failures: FailedAttempts,
  ): Promise<PaymentsError | 'shutdown' | null> {
    const { tokens, client } = this.resources.of(account);
    for (let repeats = 0; ; repeats += 1) {
      if (limit.isOver) return tooLate();
      try {
        await tokens.get();
        await client.learnClock();
        return null;
      } catch (error) {
        if (!(error instanceof PaymentsError)) throw error;
        failures.add(error);
        const final = REFUSALS.some((refusal) => error instanceof refusal);
        const waitMs = jitterAfterLeast(this.runtime, repeats);
        if (final || waitMs > limit.leftMs) return error;
        if (!(await this.shutdown.pause(waitMs))) return 'shutdown';
      }
    }
  }

  private toSend(payment: PaymentRecord): CompleteIncomingPayment {
    return {
      paymentChannel: payment.channel,
      tillNumber: payment.tillNumber,
      subscriber: payment.subscriber,
      amount: payment.amount,
      ...(payment.metadata && { metadata: payment.metadata }),
      callbackUrl: this.urls.callback(payment.account, 'incoming-payments', payment.id),
    };
  }
}

/** Whether the time to send is over, by the store or by a clock of this machine. */
function isLate({ sendWithinMs }: PaymentRecord, limit: TimeLimit): boolean {
  return limit.isOver || sendWithinMs <= 0;
}

function tooLate(): PaymentsError {
  return new PlatformTimeoutError(
    'create incoming payment',
    new Error('the time to send it was over before it was sent'),
  );
}
