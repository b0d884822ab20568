import { optional, required, text, type BodySchema } from '../server/body.dto.js';
import { links, metadata, ownAmount, ownCurrency, tillNumber } from '../server/field.rules.js';
import { json, Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Tills } from '../tills/tills.service.js';
import { PAYMENT_LINKS_PATH } from './payment-link.resource.js';
import type { PaymentLinks } from './payment-links.service.js';
import type { CreatePaymentLinkBody, OpenPaymentLink } from './payment-links.store.js';

const RESOURCE = 'payment_links';

/** The endpoints of payment links: create, read and cancel. */
export class PaymentLinkRoutes {
  private readonly schema: BodySchema;

  constructor(
    private readonly settings: SimulatorSettings,
    private readonly pipeline: RequestPipeline,
    private readonly tills: Tills,
    private readonly paymentLinks: PaymentLinks,
  ) {
    this.schema = {
      till_number: required(tillNumber),
      currency: required(ownCurrency),
      amount: required(ownAmount(settings.strict)),
      payment_reference: optional(text),
      note: optional(text),
      metadata: optional(metadata),
      _links: links(settings.allowPlainCallbackHosts),
    };
  }

  routes(): PlatformRoute[] {
    const path = `${PAYMENT_LINKS_PATH}/:id`;
    return [
      { method: 'POST', path: PAYMENT_LINKS_PATH, handle: (exchange) => this.create(exchange) },
      { method: 'GET', path, handle: (exchange) => this.get(exchange) },
      { method: 'POST', path: `${path}/cancel`, handle: (exchange) => this.cancel(exchange) },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const body = this.pipeline.readBody<CreatePaymentLinkBody>(exchange, this.schema);
    const till = this.tills.find(body.till_number);
    if (!till) throw new Refusal(400, 'Till number is invalid');
    return this.pipeline.create(exchange, { resource: RESOURCE }, () => {
      const { id } = this.paymentLinks.create(body, till);
      return `${PAYMENT_LINKS_PATH}/${id}`;
    });
  }

  private async get(exchange: PlatformExchange): Promise<PlatformAnswer> {
    const link = this.linkOf(exchange);
    const phone = link.transaction?.phoneNumber;
    const subject = {
      resource: RESOURCE,
      paymentId: link.id,
      ...(phone === undefined ? {} : { phone }),
    };
    return this.pipeline.read(exchange, subject, () => this.paymentLinks.read(link, subject));
  }

  private cancel(exchange: PlatformExchange): PlatformAnswer {
    const link = this.linkOf(exchange);
    // Public clients send {}, null or nothing: there is nothing in it to read.
    if (this.settings.strict) this.pipeline.readBody(exchange, {});
    this.paymentLinks.assertCancellable(link);
    const subject = { resource: RESOURCE, paymentId: link.id };
    return this.pipeline.act(exchange, subject, () => {
      this.paymentLinks.cancel(link);
      return json(200, { message: 'Payment link cancelled.' });
    });
  }

  private linkOf(exchange: PlatformExchange): OpenPaymentLink {
    this.pipeline.authorise(exchange, RESOURCE);
    const link = this.paymentLinks.find(exchange.params.id ?? '');
    if (!link) throw new Refusal(404, 'The payment link was not found');
    return link;
  }
}
