import type { MerchantContext } from '../merchants/merchant-context.js';
import { Refusal } from '../server/platform-answer.dto.js';
import { ResourceWriter } from '../server/resource-writer.js';
import { InvalidInputError } from '../simulator.errors.js';
import type { Till } from '../tills/tills.service.js';
import type { TillMoney } from '../transactions/till-money.service.js';
import type { Transaction } from '../transactions/transactions.store.js';
import type { ItemStore } from '../values/item.store.js';
import { requirePhoneNumber } from '../values/phone-number.js';
import { paymentLinkFormat } from './payment-link.resource.js';
import {
  paymentLinkOf,
  type CreatePaymentLinkBody,
  type OpenPaymentLink,
  type PaymentLink,
} from './payment-link.record.js';

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
  readonly writer: ResourceWriter<OpenPaymentLink>;

  constructor(
    private readonly context: MerchantContext,
    readonly store: ItemStore<OpenPaymentLink>,
    private readonly money: TillMoney,
  ) {
    this.writer = new ResourceWriter(
      context,
      paymentLinkFormat((link) => this.urlOf(link)),
    );
  }

  create(request: CreatePaymentLinkBody, till: Till): OpenPaymentLink {
    const createdAt = this.context.clock.now();
    const expiresAt = createdAt + LIFETIME_MS;
    const fresh = { state: 'pending', transaction: null } as const;
    const link = this.store.add({ request, till, createdAt, expiresAt, ...fresh });
    this.age(link);
    return link;
  }

  /** Continues the links of a platform that has stopped. */
  resume(): void {
    for (const link of this.store.all()) this.age(link);
  }

  list(): PaymentLink[] {
    return this.store.all().map((link) => paymentLinkOf(link, this.urlOf(link)));
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
    await Promise.all([this.writer.deliver(link), this.money.sendWebhooks(link.transaction)]);
    return link.transaction;
  }

  private urlOf({ id }: OpenPaymentLink): string {
    return `${this.context.baseUrl()}/links/${id}`;
  }

  private age(link: OpenPaymentLink): void {
    const { clock, timings } = this.context;
    clock.schedule(timings.payoutScheduling, () => {
      if (link.state === 'pending') link.state = 'active';
    });
    clock.schedule(Math.max(0, link.expiresAt - clock.now()), () => {
      if (link.state === 'active') link.state = 'expired';
    });
  }
}
