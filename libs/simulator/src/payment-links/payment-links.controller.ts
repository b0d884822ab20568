import type { MerchantContext } from '../merchants/merchant-context.js';
import { optional, required, text } from '../server/body.dto.js';
import { links, metadata, ownAmount, ownCurrency, tillNumber } from '../server/field-rules.js';
import { json, Refusal } from '../server/platform-answer.dto.js';
import type { PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import { findOrRefuse, resourceRoutes, type ApiResource } from '../server/resource-routes.js';
import type { CreatePaymentLinkBody, OpenPaymentLink } from './payment-link.record.js';
import type { PaymentLinks } from './payment-links.service.js';

const RESOURCE = 'payment_links';
const PATH = `/api/v2/${RESOURCE}`;

/** Returns the endpoints of payment links: create, read and cancel. */
export function paymentLinkRoutes(
  { settings, merchant }: MerchantContext,
  pipeline: RequestPipeline,
  paymentLinks: PaymentLinks,
): PlatformRoute[] {
  const resource: ApiResource<CreatePaymentLinkBody, OpenPaymentLink> = {
    path: PATH,
    name: 'payment link',
    schema: {
      till_number: required(tillNumber),
      currency: required(ownCurrency),
      amount: required(ownAmount(settings.strict)),
      payment_reference: optional(text),
      note: optional(text),
      metadata: optional(metadata),
      _links: links(settings.allowPlainCallbackHosts),
    },
    view: paymentLinks.writer,
    find: (id) => paymentLinks.store.find(id),
    check(body) {
      const till = merchant.tills.find(body.till_number);
      if (!till) throw new Refusal(400, 'Till number is invalid');
      return { commit: () => paymentLinks.create(body, till) };
    },
  };
  const cancel: PlatformRoute = {
    method: 'POST',
    path: `${PATH}/:id/cancel`,
    handle(exchange) {
      const link = findOrRefuse(pipeline, exchange, resource);
      // Public clients send {}, null or nothing, and we read none of it.
      if (settings.strict) pipeline.readBody(exchange, {});
      paymentLinks.assertCancellable(link);
      return pipeline.act(exchange, { resource: RESOURCE, paymentId: link.id }, () => {
        paymentLinks.cancel(link);
        return json(200, { message: 'Payment link cancelled.' });
      });
    },
  };
  return [...resourceRoutes(pipeline, resource), cancel];
}
