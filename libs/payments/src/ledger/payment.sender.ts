import { Inject, Injectable, Logger } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { fullJitter, retryWhileStoreIsAway } from '../http/retry.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import {
  PaymentsError,
  PlatformRedirectError,
  PlatformRejectedError,
  PlatformTimeoutError,
  PlatformUnauthorizedError,
  StoreUnavailableError,
} from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { CallbackUrls } from '../resources/callback-urls.js';
import { IncomingPaymentsService } from '../resources/incoming-payments/incoming-payments.service.js';
import { PlatformClient, type CreateOutcome } from '../resources/platform.client.js';
import { TokensService } from '../resources/tokens/tokens.service.js';
import { Runtime } from '../runtime/runtime.js';
import { TimeLimit } from '../runtime/time.limit.js';
import { Ledger } from './ledger.js';
import type { PaymentRecord } from './payment.js';

/** After its deadline a create may still be finishing; only later is a `requested` payment taken for abandoned. */
const ABANDONED_AFTER_MS = 15_000;

/** How long an answer waits for a store that is away. */
const KEEP_ANSWER_MS = 60_000;

/** How long a call of the host waits to learn whether its commit of `requested` was made. */
const ASK_STORE_MS = 10_000;

/** How long it is tried to write that a payment was not sent. */
const KEEP_NOT_SENT_MS = 10 * 60_000;

/** What a token request is answered by settings that are wrong: asking again changes nothing. */
const REFUSALS = [PlatformUnauthorizedError, PlatformRejectedError, PlatformRedirectError];

/**
 * Sends recorded payments, each at most once, whichever replica gets to it. A payment that the host asked for is sent only
 * while the host's call lives: a call that ended in an error never charges later.
 */
@Injectable()
export class PaymentSender {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly ledger: Ledger,
    private readonly tokens: TokensService,
    private readonly client: PlatformClient,
    private readonly incomingPayments: IncomingPaymentsService,
    private readonly urls: CallbackUrls,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Sends a payment that is `created` and takes the answer. Where another process was faster, or the time to send is
   * over, nothing is sent. Resolves with the payment in the state this leaves it in.
   * @throws StoreUnavailableError when the store is away before anything is sent; then nothing will be
   */
  async send(payment: PaymentRecord): Promise<PaymentRecord> {
    const limit = new TimeLimit(this.runtime, payment.sendWithinMs);
    const refusal = await this.prepare(limit);
    // Still `created`: nothing was sent, and whoever asks again with its key sends it, if it is not too late by then.
    if (refusal === 'closing') return payment;
    if (refusal) return this.ledger.takeAnswer(payment, { kind: 'not_sent', error: refusal });

    const sender = this.runtime.id();
    const requested = await this.markRequested(payment, sender, limit);
    if (requested.state !== 'requested' || requested.sender !== sender) return requested;
    const outcome = await this.incomingPayments.send(this.toSend(payment), limit);
    return this.keepAnswer(requested, outcome, KEEP_ANSWER_MS);
  }

  /** Milliseconds in which the create of a payment that is `requested` may still be answered; 0 or less when it is abandoned. */
  answerWithinMs({ sendWithinMs }: PaymentRecord): number {
    return sendWithinMs + this.options.http.createTimeoutMs + ABANDONED_AFTER_MS;
  }

  /** It can no longer be sent, and certainly was not. */
  async tooLate(payment: PaymentRecord): Promise<PaymentRecord> {
    return this.ledger.takeAnswer(payment, { kind: 'not_sent', error: tooLate() });
  }

  /**
   * Commits `requested`. A commit whose answer is lost may have been made, and may still be made by a statement that was
   * given up: so it is asked, and asked again, until the payment is certainly ours to send, or certainly not.
   */
  private async markRequested(
    payment: PaymentRecord,
    sender: string,
    limit: TimeLimit,
  ): Promise<PaymentRecord> {
    const giveUpInMs = this.answerWithinMs({ ...payment, sendWithinMs: limit.leftMs });
    const patience = new TimeLimit(
      this.runtime,
      payment.inBackground ? limit.leftMs : Math.min(limit.leftMs, ASK_STORE_MS),
    );
    let current = payment;
    for (let failures = 0; ; failures += 1) {
      try {
        if (failures > 0) current = await this.ledger.payment(payment.id);
        if (current.state !== 'created') return await this.unlessLate(current, sender, limit);
        const requested = await this.ledger.markRequested(current, sender, giveUpInMs);
        if (requested) return await this.unlessLate(requested, sender, limit);
        current = await this.ledger.payment(payment.id);
        if (current.state !== 'created' || isLate(current, limit))
          return await this.unlessLate(current, sender, limit);
        // Refused although nothing has changed: the store's clock is a little ahead of what it said.
        if (!(await this.closing.pause(50 + fullJitter(this.runtime, failures)))) return current;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (
          patience.isOver ||
          !(await this.closing.pause(50 + fullJitter(this.runtime, failures)))
        ) {
          this.giveUpSending({ ...current, sender });
          throw error;
        }
      }
    }
  }

  /** Nothing was written to a socket yet: a payment that is ours, and late, certainly was not sent. */
  private async unlessLate(
    payment: PaymentRecord,
    sender: string,
    limit: TimeLimit,
  ): Promise<PaymentRecord> {
    const ours = payment.state === 'created' || payment.sender === sender;
    if (!isLate(payment, limit) || !ours) return payment;
    return this.keepAnswer(payment, { kind: 'not_sent', error: tooLate() }, KEEP_ANSWER_MS);
  }

  /** The call ends in an error and sends nothing any more: that is written as soon as the store is back. */
  private giveUpSending(payment: PaymentRecord): void {
    this.keepAnswer(payment, { kind: 'not_sent', error: tooLate() }, KEEP_NOT_SENT_MS).catch(
      (error: unknown) =>
        this.logger.error(
          `payment ${payment.id} was not sent, which could not be recorded: ${String(error)}`,
        ),
    );
  }

  /**
   * Keeps trying while the store is away: the answer has the platform's id, and without it the payment would have to be
   * found by its callback or by matching.
   */
  private async keepAnswer(
    asSent: PaymentRecord,
    outcome: CreateOutcome,
    forMs: number,
  ): Promise<PaymentRecord> {
    return retryWhileStoreIsAway(this.closing, this.runtime, forMs, () =>
      this.ledger.takeAnswer(asSent, outcome),
    );
  }

  /**
   * Has a token at hand before the payment counts as sent: while there is none, nothing can have been charged, also if
   * this process dies. And the platform's time: when a payment was sent decides which money can be its own, so that a date
   * by a wrong clock of ours would give its money to another. Resolves with the reason when there will be none in time.
   */
  private async prepare(limit: TimeLimit): Promise<PaymentsError | 'closing' | null> {
    for (let failures = 0; ; failures += 1) {
      if (limit.isOver) return tooLate();
      try {
        await this.tokens.get();
        await this.client.learnClock();
        return null;
      } catch (error) {
        if (!(error instanceof PaymentsError)) throw error;
        const final = REFUSALS.some((refusal) => error instanceof refusal);
        const waitMs = 250 + fullJitter(this.runtime, failures);
        if (final || waitMs > limit.leftMs) return error;
        if (!(await this.closing.pause(waitMs))) return 'closing';
      }
    }
  }

  private toSend(payment: PaymentRecord): Parameters<IncomingPaymentsService['send']>[0] {
    return {
      paymentChannel: payment.channel,
      tillNumber: payment.tillNumber,
      subscriber: payment.subscriber,
      amount: payment.amount,
      ...(payment.metadata && { metadata: payment.metadata }),
      callbackUrl: this.urls.callback('incoming-payments', payment.id),
    };
  }
}

/** Whichever says first that the time is over is believed: the store, or a clock of this machine. */
function isLate({ sendWithinMs }: PaymentRecord, limit: TimeLimit): boolean {
  return limit.isOver || sendWithinMs <= 0;
}

function tooLate(): PaymentsError {
  return new PlatformTimeoutError(
    'create incoming payment',
    new Error('the time to send it was over before it was sent'),
  );
}
