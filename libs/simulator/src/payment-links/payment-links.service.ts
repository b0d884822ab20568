import type { SimulatedClock } from '../clock/clock.service.js';
import type { MerchantDeliveries } from '../deliveries/deliveries.service.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import type { FaultInjector } from '../faults/faults.service.js';
import { Refusal } from '../server/platform-answer.dto.js';
import { InvalidInputError } from '../simulator.errors.js';
import type { SimulatorTimings } from '../simulator.options.js';
import type { Till } from '../tills/tills.service.js';
import type { TillMoney } from '../transactions/till-money.service.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { requirePhoneNumber } from '../values/phone-number.js';
import { PAYMENT_LINKS_PATH, paymentLinkResource } from './payment-link.resource.js';
import type {
  CreatePaymentLinkBody,
  OpenPaymentLink,
  PaymentLinksStore,
} from './payment-links.store.js';

const LIFETIME_MS = 7 * 86_400_000;

/** The customer who pays a link. */
export interface LinkPayer {
  phoneNumber: string;
  /** @default 'Jane' */
  firstName?: string;
  /** @default 'Doe' */
  lastName?: string;
}

/** Makes payment links, takes the money of the customer, and delivers the results. */
export class PaymentLinks {
  constructor(
    private readonly store: PaymentLinksStore,
    private readonly money: TillMoney,
    private readonly clock: SimulatedClock,
    private readonly timings: SimulatorTimings,
    private readonly deliveries: MerchantDeliveries,
    private readonly faults: FaultInjector,
    private readonly baseUrl: () => string,
  ) {}

  create(request: CreatePaymentLinkBody, till: Till): OpenPaymentLink {
    const now = this.clock.now();
    const link = this.store.add({ request, till, createdAt: now, expiresAt: now + LIFETIME_MS });
    this.age(link);
    return link;
  }

  /** Goes on with the links of a platform that has stopped. */
  resume(): void {
    for (const link of this.store.open()) this.age(link);
  }

  find(id: string): OpenPaymentLink | undefined {
    return this.store.find(id);
  }

  /** @throws Refusal 400 for a link that is over */
  assertCancellable({ state }: OpenPaymentLink): void {
    if (state !== 'pending' && state !== 'active')
      throw new Refusal(400, `Payment link is already ${state}`);
  }

  cancel(link: OpenPaymentLink): void {
    link.state = 'cancelled';
  }

  /** Takes the money of a customer, and delivers the callback and the webhooks. */
  async pay(link: OpenPaymentLink, payer: LinkPayer): Promise<Transaction> {
    requirePhoneNumber(payer.phoneNumber);
    if (link.state !== 'active')
      throw new InvalidInputError(
        `The payment link ${link.id} is ${link.state}: only an active link can be paid, once.`,
      );
    link.state = 'paid';
    link.transaction = this.money.receive({
      till: link.till,
      phoneNumber: payer.phoneNumber,
      firstName: payer.firstName ?? 'Jane',
      lastName: payer.lastName ?? 'Doe',
      amount: Number(link.request.amount),
      currency: link.request.currency,
      paymentId: link.id,
    });
    await Promise.all([this.deliverResult(link), this.money.sendWebhooks(link.transaction)]);
    return link.transaction;
  }

  /** The JSON text of the resource, with faults. */
  read(link: OpenPaymentLink, subject: FaultSubject): string {
    const status = this.faults.inject('unknown-status', subject);
    const urls = {
      self: `${this.baseUrl()}${PAYMENT_LINKS_PATH}/${link.id}`,
      link: this.store.urlOf(link),
    };
    return JSON.stringify(
      paymentLinkResource(link, urls, {
        ...(status ? { status: status.paymentStatus! } : {}),
        unknownField: this.faults.inject('unknown-field', subject) !== null,
      }),
    );
  }

  private age(link: OpenPaymentLink): void {
    this.clock.schedule(this.timings.payoutScheduling, () => {
      if (link.state === 'pending') link.state = 'active';
    });
    this.clock.schedule(Math.max(0, link.expiresAt - this.clock.now()), () => {
      if (link.state === 'active') link.state = 'expired';
    });
  }

  private async deliverResult(link: OpenPaymentLink): Promise<void> {
    const topic = 'payment_link';
    const identity = { phone: link.transaction!.phoneNumber, paymentId: link.id };
    await this.deliveries.send({
      kind: 'callback',
      topic,
      url: link.request._links.callback_url,
      body: this.read(link, { delivery: 'callback', topic, ...identity }),
      ...identity,
    });
  }
}
