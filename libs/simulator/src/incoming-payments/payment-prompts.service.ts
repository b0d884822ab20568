import { randomUUID } from 'node:crypto';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { Handsets } from '../handsets/handsets.service.js';
import type { PromptAnswer } from '../handsets/handset.model.js';
import {
  SCENARIOS,
  type FailureEnd,
  type ScenarioDescription,
} from '../scenarios/scenarios.constants.js';
import type { SimulatorTimings } from '../simulator.options.js';
import type { Till } from '../tills/tills.service.js';
import type { IncomingPayment } from './incoming-payments.store.js';
import type { IncomingPayments } from './incoming-payments.service.js';

/** Brings a payment's prompt to the phone and has the customer of its scenario answer it. */
export class PaymentPrompts {
  constructor(
    private readonly payments: IncomingPayments,
    private readonly handsets: Handsets,
    private readonly clock: SimulatedClock,
    private readonly timings: SimulatorTimings,
  ) {}

  begin(payment: IncomingPayment, till: Till): void {
    this.clock.schedule(this.timings.prompt, () => this.reach(payment, till));
  }

  /**
   * Ends the payment at once, so that its result is delivered before its create is answered.
   *
   * @returns when the first deliveries were tried, or after `patienceMs`: a receiver may well wait for the answer.
   */
  async endAtOnce(payment: IncomingPayment, till: Till, patienceMs: number): Promise<void> {
    const { end }: ScenarioDescription = SCENARIOS[payment.scenario];
    if (end === 'decides') {
      this.begin(payment, till);
      return;
    }
    const answered =
      end === 'approves'
        ? this.payments.succeed(payment, till)
        : this.payments.fail(payment, end, till);
    await Promise.race([answered, this.clock.wait(patienceMs)]);
  }

  private reach(payment: IncomingPayment, till: Till): void {
    const { end }: ScenarioDescription = SCENARIOS[payment.scenario];
    if (end === 'busy' || end === 'breaks') {
      this.fail(payment, end, till);
      return;
    }
    const handset = this.handsets.of(payment.request.subscriber.phone_number);
    if (end === 'unreachable' || !handset.isOn) {
      this.clock.schedule(this.timings.unreachable, () => this.fail(payment, 'unreachable', till));
      return;
    }
    this.ring(payment, till);
  }

  private ring(payment: IncomingPayment, till: Till): void {
    const { subscriber, amount } = payment.request;
    const scenario: ScenarioDescription = SCENARIOS[payment.scenario];
    const handset = this.handsets.of(subscriber.phone_number);
    const promptId = randomUUID();
    const expiry = this.clock.schedule(this.timings.promptTimeout, () => handset.expire(promptId));
    handset.ring(
      {
        id: promptId,
        paymentId: payment.id,
        tillNumber: till.reported,
        amount: amount.value,
        currency: amount.currency,
        shownAt: new Date(this.clock.now()).toISOString(),
      },
      (answer) => {
        expiry.cancel();
        this.answered(payment, till, answer);
      },
    );
    const script = scriptOf(scenario);
    if (!script) return;
    const delay = scenario.slow ? this.timings.slowAnswer : this.timings.answer;
    this.clock.schedule(delay, () => handset.play(promptId, script));
  }

  private answered(payment: IncomingPayment, till: Till, answer: PromptAnswer): void {
    const script = scriptOf(SCENARIOS[payment.scenario]);
    // A right PIN brings no money to an empty account, whoever types it.
    const outcome =
      answer === 'approves' && (script === 'lacks-funds' || script === 'over-limit')
        ? script
        : answer;
    if (outcome !== 'approves') {
      this.fail(payment, outcome, till);
      return;
    }
    payment.status = 'Received';
    if (this.timings.processing === 0) void this.payments.succeed(payment, till);
    else
      this.clock.schedule(this.timings.processing, () => void this.payments.succeed(payment, till));
  }

  private fail(payment: IncomingPayment, end: FailureEnd, till: Till): void {
    void this.payments.fail(payment, end, till);
  }
}

/** What the customer of a scenario does with the prompt, if anything. */
function scriptOf({ end }: ScenarioDescription): Exclude<PromptAnswer, 'ignores'> | null {
  switch (end) {
    case 'approves':
    case 'cancels':
    case 'mistypes':
    case 'lacks-funds':
    case 'over-limit':
      return end;
    case 'ignores':
    case 'decides':
    case 'unreachable':
    case 'busy':
    case 'breaks':
      return null;
  }
}
