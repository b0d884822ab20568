import type { MerchantContext } from '../merchants/merchant-context.js';
import { optional, required, text } from '../server/body.dto.js';
import { links, metadata } from '../server/field-rules.js';
import type { ApiResource } from '../server/resource-routes.js';
import type { CreateReversalBody, Reversal } from './reversal.record.js';
import { REVERSAL } from './reversal.resource.js';
import type { Reversals } from './reversals.service.js';

export function reversalsApi(
  { settings }: MerchantContext,
  reversals: Reversals,
): ApiResource<CreateReversalBody, Reversal> {
  return {
    path: REVERSAL.path,
    name: 'reversal',
    schema: {
      transaction_reference: required(text),
      reason: required(text),
      metadata: optional(metadata),
      _links: links(settings.allowPlainCallbackHosts),
    },
    view: reversals.writerOf(),
    find: (id) => reversals.store.find(id),
    check(body) {
      const transaction = reversals.reversible(body);
      return {
        subject: { phone: transaction.phoneNumber },
        async commit(exchange, subject) {
          const reversal = reversals.create(body, transaction);
          await reversals.begin(reversal, exchange, subject);
          return reversal;
        },
      };
    },
  };
}
