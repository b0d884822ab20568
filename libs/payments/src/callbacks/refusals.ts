import { HttpException } from '@nestjs/common';

/** Why a delivery was refused: for the log, never for whoever sent it. */
export type RefusalCheck =
  'size' | 'encoding' | 'consumed' | 'signature' | 'url_mac' | 'identifier';

/** A delivery that is not taken. Its answer tells no more than its status does. */
export class DeliveryRefusedError extends HttpException {
  constructor(
    status: 401 | 404 | 413 | 415,
    readonly check: RefusalCheck,
  ) {
    super('', status);
  }
}
