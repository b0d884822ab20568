import type { Metadata } from '../../../money/metadata.js';
import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { readTransfer, type Transfer } from '../../transfer-batch.resource.js';
import { toWireAmount, wireObject, type WireObject } from '../../wire-value.js';
import type { CreatePayDto } from './create-pay.dto.js';

export const PAY_TYPE = 'payment';

/**
 * A payment to a recipient as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#pay
 * @publicApi
 */
export interface Pay extends Transfer {
  /** The metadata of the request. */
  metadata: Metadata | null;
}

export function readPay(envelope: ResourceEnvelope): Pay {
  const metadata = wireObject(envelope.attributes['metadata']) as Metadata | null;
  return { ...readTransfer(envelope), metadata };
}

export function toWirePay(dto: CreatePayDto, callbackUrl: string): WireObject {
  return {
    destination_type: dto.destinationType,
    destination_reference: dto.destinationReference,
    amount: toWireAmount(dto.amount),
    description: dto.description,
    ...(dto.category != null && { category: dto.category }),
    ...(dto.tags != null && { tags: dto.tags }),
    ...(dto.metadata && { metadata: dto.metadata }),
    _links: { callback_url: callbackUrl },
  };
}
