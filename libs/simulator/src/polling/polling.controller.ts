import type { MerchantContext } from '../merchants/merchant-context.js';
import { required, optional } from '../server/body.dto.js';
import { links, oneOf, textOrNull } from '../server/field-rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { ApiResource } from '../server/resource-routes.js';
import { parseTimestamp } from '../values/timestamp.js';
import { POLLING, type CreatePollingBody, type Polling } from './polling.resource.js';
import type { PollingRequests } from './polling.service.js';

const timeError = (value: unknown) =>
  Number.isNaN(parseTimestamp(value)) ? 'must be an ISO 8601 time with an offset' : null;

export function pollingApi(
  { settings, merchant }: MerchantContext,
  pollings: PollingRequests,
): ApiResource<CreatePollingBody, Polling> {
  return {
    path: POLLING.path,
    name: 'polling request',
    schema: {
      scope: required(oneOf('company', 'till')),
      scope_reference: optional(textOrNull),
      from_time: required(timeError),
      to_time: required(timeError),
      _links: links(settings.allowPlainCallbackHosts),
    },
    view: pollings.writer,
    find: (id) => pollings.store.find(id),
    check(body) {
      if (parseTimestamp(body.from_time) >= parseTimestamp(body.to_time))
        throw new Refusal(400, 'from_time must be before to_time');
      const till = merchant.tills.inScope(body.scope, body.scope_reference);
      return { commit: () => pollings.create(body, till?.reported ?? null) };
    },
  };
}
