import type { MerchantContext } from '../merchants/merchant-context.js';
import {
  FAILURE_TEXTS,
  SCENARIOS,
  type FailureOutcome,
  type ScenarioDescription,
} from '../scenarios/scenarios.constants.js';
import { ResourceWriter } from '../server/resource-writer.js';
import type { Till } from '../tills/tills.service.js';
import type { TillMoney } from '../transactions/till-money.service.js';
import type { Transaction } from '../transactions/transactions.store.js';
import type { ItemStore } from '../values/item.store.js';
import type { CreateIncomingPaymentBody } from './create-incoming-payment.dto.js';
import { INCOMING_PAYMENT } from './incoming-payment.resource.js';
import type { IncomingPayment } from './incoming-payment.record.js';

/** Completes payments and delivers their results. {@link PaymentPrompts} simulates the customer. */
export class IncomingPayments {
  readonly writer: ResourceWriter<IncomingPayment>;

  constructor(
    private readonly context: MerchantContext,
    readonly store: ItemStore<IncomingPayment>,
    private readonly money: TillMoney,
  ) {
    this.writer = new ResourceWriter(context, INCOMING_PAYMENT);
  }

  create(request: CreateIncomingPaymentBody): IncomingPayment {
    return this.store.add({
      request,
      scenario: this.context.scenarios.nameFor(request.subscriber.phone_number),
      initiatedAt: this.context.clock.now(),
      status: 'Pending',
      errors: null,
      result: null,
      money: null,
    });
  }

  /** Moves the customer's money and delivers the result. @returns after the first attempts to deliver. */
  async succeed(payment: IncomingPayment, till: Till): Promise<void> {
    const scenario: ScenarioDescription = SCENARIOS[payment.scenario];
    payment.money = this.receive(payment, till);
    payment.result = payment.money;
    payment.status = 'Success';
    const deliveries = [
      this.deliverResult(payment, scenario),
      this.money.sendWebhooks(payment.money, { lost: scenario.silentWebhooks ?? false }),
    ];
    if (scenario.afterwards === 'reversed') {
      this.money.reverseLater(payment.money, this.context.timings.afterwards);
    }
    await Promise.all(deliveries);
  }

  /** Fails the payment and delivers the result. @returns after the first attempt to deliver. */
  async fail(payment: IncomingPayment, outcome: FailureOutcome, till: Till): Promise<void> {
    const scenario: ScenarioDescription = SCENARIOS[payment.scenario];
    payment.status = 'Failed';
    payment.errors = [FAILURE_TEXTS[outcome]];
    if (scenario.afterwards === 'paid-after-failure') {
      const { clock, timings } = this.context;
      clock.schedule(timings.afterwards, () => this.payAfterFailure(payment, till));
    }
    await this.deliverResult(payment, scenario);
  }

  private async deliverResult(
    payment: IncomingPayment,
    { callback }: ScenarioDescription,
  ): Promise<void> {
    const { deliveries, timings } = this.context;
    const delivery = this.writer.callback(payment);
    if (callback === 'never') {
      deliveries.recordLost(delivery);
      return;
    }
    const delays = { late: timings.lateCallback, 'after-webhook': timings.callbackAfterWebhook };
    const delay = callback === 'late' || callback === 'after-webhook' ? delays[callback] : 0;
    const copies = callback === 'twice' ? [delivery, delivery] : [delivery];
    await Promise.all(copies.map((copy) => deliveries.send(copy, delay)));
  }

  private payAfterFailure(payment: IncomingPayment, till: Till): void {
    payment.money = this.receive(payment, till);
    void this.money.sendWebhooks(payment.money);
  }

  private receive(payment: IncomingPayment, till: Till): Transaction {
    const { subscriber, amount } = payment.request;
    return this.money.receive({
      till,
      phoneNumber: subscriber.phone_number,
      // The network knows the owner of the phone, whatever the request says.
      firstName: subscriber.first_name || 'Jane',
      middleName: subscriber.middle_name ?? null,
      lastName: subscriber.last_name || 'Doe',
      amount: amount.value,
      currency: amount.currency,
      paymentId: payment.id,
    });
  }
}
