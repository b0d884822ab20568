import { Inject, Injectable } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { PlatformClock } from '../http/platform.clock.js';
import { fullJitter } from '../http/retry.js';
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
import type { CreateOutcome } from '../resources/platform.client.js';
import { TokensService } from '../resources/tokens/tokens.service.js';
import { Runtime } from '../runtime/runtime.js';
import { Ledger } from './ledger.js';
import type { PaymentRecord } from './payment.js';

/** After its deadline a create may still be finishing; only later is a `requested` payment taken for abandoned. */
const ABANDONED_AFTER_MS = 15_000;

/** How long an answer waits for a store that is away. */
const KEEP_ANSWER_MS = 60_000;

/** What a token request is answered by settings that are wrong: asking again changes nothing. */
const REFUSALS = [PlatformUnauthorizedError, PlatformRejectedError, PlatformRedirectError];

/** Sends recorded payments, each at most once, whichever replica gets to it. */
@Injectable()
export class PaymentSender {
  constructor(
    private readonly ledger: Ledger,
    private readonly tokens: TokensService,
    private readonly incomingPayments: IncomingPaymentsService,
    private readonly urls: CallbackUrls,
    private readonly clock: PlatformClock,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {}

  /**
   * Sends a payment that is `created` and takes the answer. Where another process was faster, or the time to send is
   * over, nothing is sent. Resolves with the payment in the state this leaves it in.
   */
  async send(payment: PaymentRecord): Promise<PaymentRecord> {
    const sendBefore = this.runtime.now() + payment.sendWithinMs;
    const refusal = await this.awaitToken(sendBefore);
    // Still `created`: whoever starts next sends it, if it is not too late by then.
    if (refusal === 'closing') return payment;
    if (refusal) return this.ledger.takeAnswer(payment, { kind: 'not_sent', error: refusal });

    const giveUpInMs =
      payment.sendWithinMs + this.options.http.createTimeoutMs + ABANDONED_AFTER_MS;
    const requested = await this.ledger.markRequested(payment, this.clock.now(), giveUpInMs);
    if (!requested) return this.ledger.payment(payment.id);
    const outcome = await this.incomingPayments.send(this.toSend(payment), sendBefore);
    return this.keepAnswer(requested, outcome);
  }

  /**
   * Keeps trying while the store is away: the answer has the platform's id, and without it the payment would have to be
   * found by its callback or by matching.
   */
  private async keepAnswer(asSent: PaymentRecord, outcome: CreateOutcome): Promise<PaymentRecord> {
    const giveUpAt = this.runtime.elapsed() + KEEP_ANSWER_MS;
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.ledger.takeAnswer(asSent, outcome);
      } catch (error) {
        const passing = error instanceof StoreUnavailableError && this.runtime.elapsed() < giveUpAt;
        if (!passing || !(await this.closing.pause(100 + fullJitter(this.runtime, failures))))
          throw error;
      }
    }
  }

  /**
   * Has a token at hand before the payment counts as sent: while there is none, nothing can have been charged, also if
   * this process dies. Resolves with the reason when there will be none in time.
   */
  private async awaitToken(sendBefore: number): Promise<PaymentsError | 'closing' | null> {
    for (let failures = 0; ; failures += 1) {
      if (this.runtime.now() > sendBefore) return tooLate();
      try {
        await this.tokens.get();
        return null;
      } catch (error) {
        if (!(error instanceof PaymentsError)) throw error;
        const final = REFUSALS.some((refusal) => error instanceof refusal);
        const waitMs = 250 + fullJitter(this.runtime, failures);
        if (final || this.runtime.now() + waitMs > sendBefore) return error;
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

function tooLate(): PaymentsError {
  return new PlatformTimeoutError(
    'create incoming payment',
    new Error('the time to send it was over before it was sent'),
  );
}
