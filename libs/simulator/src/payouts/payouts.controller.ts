import type { BodySchema } from '../server/body.dto.js';
import type { ApiResource } from '../server/resource-routes.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import type { PayoutOrder, PayoutRequest, PayoutResource } from './payout.model.js';
import type { PayoutFormat } from './payout.resource.js';
import type { Payouts } from './payouts.service.js';

type AskedPayout = Omit<PayoutOrder, 'resource' | 'request'>;

/** One kind of request that sends money out. */
export interface PayoutKind<Body> {
  readonly resource: PayoutResource;
  readonly format: PayoutFormat;
  readonly schema: BodySchema;
  /** Checks the rules that the schema cannot express, without changing anything. @returns the first phone, with + @throws Refusal */
  check(body: Body): string | undefined;
  /** Reads a checked body. Adds recipients that are not known yet. */
  read(body: Body): AskedPayout;
}

/** Returns the endpoints of one kind of request that sends money out. */
export function payoutsApi<Body>(
  payouts: Payouts,
  kind: PayoutKind<Body>,
): ApiResource<Body & WireObject, PayoutRequest> {
  const { resource, format, schema } = kind;
  return {
    path: format.path,
    name: 'request',
    schema,
    view: payouts.writerOf({ order: { resource } }),
    find(id) {
      const payout = payouts.store.find(id);
      return payout?.order.resource === resource ? payout : undefined;
    },
    check(body) {
      const phone = kind.check(body);
      return {
        subject: phone === undefined ? {} : { phone },
        async commit(exchange, subject) {
          const payout = payouts.create({ ...kind.read(body), resource, request: body });
          await payouts.begin(payout, exchange, subject);
          return payout;
        },
      };
    },
  };
}
