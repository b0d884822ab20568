import { HttpException } from '@nestjs/common';

/** Why a delivery is refused, with the HTTP status of the answer. Only the log has the reason, never the answer. */
export const REFUSAL_STATUS = {
  too_large: 413,
  encoded: 415,
  consumed: 415,
  signature: 401,
  url_mac: 401,
  identifier: 404,
  // As a wrong signature: a stranger must not learn which accounts there are.
  account: 401,
  unsure: 503,
  slow: 408,
  busy: 503,
} as const;

export type Refusal = keyof typeof REFUSAL_STATUS;

/** A refusal before the host's parsers could read the body. */
export type EarlyRefusal = Exclude<Refusal, 'consumed'>;

/** The guard refused a delivery. The answer has the status only. */
export class DeliveryRefusedError extends HttpException {
  constructor(refusal: Refusal) {
    super('', REFUSAL_STATUS[refusal]);
  }
}
