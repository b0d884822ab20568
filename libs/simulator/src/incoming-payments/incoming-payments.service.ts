import type { SimulatedClock } from '../clock/clock.service.js';
import type { MerchantDeliveries } from '../deliveries/deliveries.service.js';
import type { NewDelivery } from '../deliveries/delivery.record.js';
import type { FaultInjector } from '../faults/faults.service.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import type { Scenarios } from '../scenarios/scenarios.service.js';
import {
  FAILURE_TEXTS,
  SCENARIOS,
  type FailureOutcome,
  type ScenarioDescription,
} from '../scenarios/scenarios.constants.js';
import type { SimulatorTimings } from '../simulator.options.js';
import type { Till } from '../tills/tills.service.js';
import type { TillMoney } from '../transactions/till-money.service.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { incomingPaymentResource } from './incoming-payment.resource.js';
import type { IncomingPayment, IncomingPaymentsStore } from './incoming-payments.store.js';
import type { CreateIncomingPaymentBody } from './create-incoming-payment.dto.js';

export const INCOMING_PAYMENTS_PATH = '/api/v2/incoming_payments';

/** Completes payments and delivers their results. {@link PaymentPrompts} simulates the customer. */
export class IncomingPayments {
  constructor(
    private readonly store: IncomingPaymentsStore,
    private readonly scenarios: Scenarios,
    private readonly clock: SimulatedClock,
    private readonly timings: SimulatorTimings,
    private readonly money: TillMoney,
    private readonly deliveries: MerchantDeliveries,
    private readonly faults: FaultInjector,
    private readonly baseUrl: () => string,
  ) {}

  create(request: CreateIncomingPaymentBody): IncomingPayment {
    return this.store.add(
      request,
      this.scenarios.nameFor(request.subscriber.phone_number),
      this.clock.now(),
    );
  }

  find(id: string): IncomingPayment | undefined {
    return this.store.find(id);
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
      this.money.reverseLater(payment.money, this.timings.afterwards);
    }
    await Promise.all(deliveries);
  }

  /** Fails the payment and delivers the result. @returns after the first attempt to deliver. */
  async fail(payment: IncomingPayment, outcome: FailureOutcome, till: Till): Promise<void> {
    const scenario: ScenarioDescription = SCENARIOS[payment.scenario];
    payment.status = 'Failed';
    payment.errors = [FAILURE_TEXTS[outcome]];
    if (scenario.afterwards === 'paid-after-failure') {
      this.clock.schedule(this.timings.afterwards, () => this.payAfterFailure(payment, till));
    }
    await this.deliverResult(payment, scenario);
  }

  /** The JSON text of the resource, with faults. */
  read(payment: IncomingPayment, subject: FaultSubject): string {
    const status = this.faults.inject('unknown-status', subject);
    return JSON.stringify(
      incomingPaymentResource(payment, `${this.baseUrl()}${INCOMING_PAYMENTS_PATH}/${payment.id}`, {
        ...(status ? { status: status.paymentStatus! } : {}),
        unknownField: this.faults.inject('unknown-field', subject) !== null,
        numberAmounts: this.faults.inject('number-amounts', subject) !== null,
        stringErrors: this.faults.inject('string-errors', subject) !== null,
      }),
    );
  }

  subjectOf(payment: IncomingPayment): FaultSubject {
    return {
      resource: 'incoming_payments',
      phone: payment.request.subscriber.phone_number,
      paymentId: payment.id,
    };
  }

  private async deliverResult(
    payment: IncomingPayment,
    { callback }: ScenarioDescription,
  ): Promise<void> {
    const topic = 'incoming_payment';
    const phone = payment.request.subscriber.phone_number;
    const delivery: NewDelivery = {
      kind: 'callback',
      topic,
      url: payment.request._links.callback_url,
      body: this.read(payment, { delivery: 'callback', topic, phone, paymentId: payment.id }),
      paymentId: payment.id,
      phone,
    };
    switch (callback) {
      case 'never':
        this.deliveries.recordLost(delivery);
        return;
      case 'twice':
        await Promise.all([this.deliveries.send(delivery), this.deliveries.send(delivery)]);
        return;
      case 'late':
        await this.deliveries.send(delivery, this.timings.lateCallback);
        return;
      case 'after-webhook':
        await this.deliveries.send(delivery, this.timings.callbackAfterWebhook);
        return;
      case 'before-answer':
      case undefined:
        await this.deliveries.send(delivery);
    }
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
      // The network knows whose phone it is, whatever the request says.
      firstName: subscriber.first_name || 'Jane',
      middleName: subscriber.middle_name ?? null,
      lastName: subscriber.last_name || 'Doe',
      amount: amount.value,
      currency: amount.currency,
      paymentId: payment.id,
    });
  }
}
