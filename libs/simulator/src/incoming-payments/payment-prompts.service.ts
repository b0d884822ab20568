import { randomUUID } from 'node:crypto';
import type { PromptAnswer } from '../handsets/handset.model.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import {
  SCENARIOS,
  type FailureOutcome,
  type ScenarioDescription,
} from '../scenarios/scenarios.constants.js';
import type { Till } from '../tills/tills.service.js';
import type { IncomingPayment } from './incoming-payment.record.js';
import type { IncomingPayments } from './incoming-payments.service.js';

/** Shows the prompt of a payment on the phone and answers it as the scenario says. */
export class PaymentPrompts {
  constructor(
    private readonly context: MerchantContext,
    private readonly payments: IncomingPayments,
  ) {}

  begin(payment: IncomingPayment, till: Till): void {
    this.context.clock.schedule(this.context.timings.prompt, () => this.reach(payment, till));
  }

  /** Continues a payment of a platform that has stopped. */
  resume(payment: IncomingPayment, till: Till): void {
    if (payment.status === 'Received') void this.payments.succeed(payment, till);
    else this.begin(payment, till);
  }

  /**
   * Completes the payment at once, so that its result is delivered before its create is answered.
   *
   * @returns after the first attempts to deliver, at most after `maxWaitMs`: the receiver may be waiting for the answer.
   */
  async completeAtOnce(payment: IncomingPayment, till: Till, maxWaitMs: number): Promise<void> {
    const { outcome }: ScenarioDescription = SCENARIOS[payment.scenario];
    if (outcome === 'person-decides') {
      this.begin(payment, till);
      return;
    }
    const delivered =
      outcome === 'approves'
        ? this.payments.succeed(payment, till)
        : this.payments.fail(payment, outcome, till);
    await Promise.race([delivered, this.context.clock.wait(maxWaitMs)]);
  }

  private reach(payment: IncomingPayment, till: Till): void {
    const { outcome }: ScenarioDescription = SCENARIOS[payment.scenario];
    if (outcome === 'busy' || outcome === 'platform-fails') {
      this.fail(payment, outcome, till);
      return;
    }
    const handset = this.context.handsets.get(payment.request.subscriber.phone_number);
    if (outcome === 'unreachable' || !handset.isOn) {
      this.context.clock.schedule(this.context.timings.unreachable, () =>
        this.fail(payment, 'unreachable', till),
      );
      return;
    }
    this.showPrompt(payment, till);
  }

  private showPrompt(payment: IncomingPayment, till: Till): void {
    const { subscriber, amount } = payment.request;
    const scenario: ScenarioDescription = SCENARIOS[payment.scenario];
    const handset = this.context.handsets.get(subscriber.phone_number);
    const promptId = randomUUID();
    const expiry = this.context.clock.schedule(this.context.timings.promptTimeout, () =>
      handset.expire(promptId),
    );
    handset.showPrompt(
      {
        id: promptId,
        paymentId: payment.id,
        merchant: this.context.merchant.name,
        tillNumber: till.reported,
        amount: amount.value,
        currency: amount.currency,
        shownAt: new Date(this.context.clock.now()).toISOString(),
      },
      (answer) => {
        expiry.cancel();
        this.answered(payment, till, answer);
      },
    );
    const scripted = scriptedAnswer(scenario);
    if (!scripted) return;
    const delay = scenario.slow ? this.context.timings.slowAnswer : this.context.timings.answer;
    this.context.clock.schedule(delay, () => handset.answerByScenario(promptId, scripted));
  }

  private answered(payment: IncomingPayment, till: Till, answer: PromptAnswer): void {
    const scripted = scriptedAnswer(SCENARIOS[payment.scenario]);
    // A correct PIN moves no money from an empty account, even when a person enters it.
    const outcome =
      answer === 'approves' && (scripted === 'lacks-funds' || scripted === 'over-limit')
        ? scripted
        : answer;
    if (outcome !== 'approves') {
      this.fail(payment, outcome, till);
      return;
    }
    payment.status = 'Received';
    if (this.context.timings.processing === 0) void this.payments.succeed(payment, till);
    else
      this.context.clock.schedule(
        this.context.timings.processing,
        () => void this.payments.succeed(payment, till),
      );
  }

  private fail(payment: IncomingPayment, outcome: FailureOutcome, till: Till): void {
    void this.payments.fail(payment, outcome, till);
  }
}

/** The answers that a scenario can give in the customer's place. */
const SCRIPTED = ['approves', 'cancels', 'mistypes', 'lacks-funds', 'over-limit'] as const;

/** Returns the customer's answer in a scenario; undefined if the customer does not answer. */
function scriptedAnswer({ outcome }: ScenarioDescription): (typeof SCRIPTED)[number] | undefined {
  return SCRIPTED.find((answer) => answer === outcome);
}
