import { HttpException } from '@nestjs/common';

/** Why the guard refuses a delivery, with the HTTP status of the answer. Only the log has the reason, never the answer. */
const STATUSES = {
  too_large: 413,
  encoded: 415,
  consumed: 415,
  signature: 401,
  url_mac: 401,
  identifier: 404,
} as const;

export type Refusal = keyof typeof STATUSES;

/** The guard refused a delivery. The answer has the status only. */
export class DeliveryRefusedError extends HttpException {
  constructor(readonly refusal: Refusal) {
    super('', STATUSES[refusal]);
  }
}
