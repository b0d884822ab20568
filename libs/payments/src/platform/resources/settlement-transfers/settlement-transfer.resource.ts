import { PaymentsValidationError } from '../../../payments.errors.js';
import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { readTransfer, type Transfer } from '../../transfer-batch.resource.js';
import { toWireAmount, type WireObject } from '../../wire-value.js';
import {
  transferredProblem,
  type SettlementTransferFields,
} from './create-settlement-transfer.dto.js';

export const SETTLEMENT_TRANSFER_TYPE = 'settlement_transfer';

/**
 * A transfer to an account of the merchant as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#settlement-transfers
 * @publicApi
 */
export type SettlementTransfer = Transfer;

export function readSettlementTransfer(envelope: ResourceEnvelope): SettlementTransfer {
  return readTransfer(envelope);
}

/** @throws PaymentsValidationError when it has no amount and does not say `sweepAllFunds`: the platform would transfer all funds */
export function toWireSettlementTransfer(
  { amount, sweepAllFunds, destinationReference, destinationType }: SettlementTransferFields,
  callbackUrl: string,
): WireObject {
  const problem = transferredProblem(amount, sweepAllFunds);
  if (problem !== null) throw new PaymentsValidationError([{ field: 'amount', problem }]);
  return {
    ...(amount && { amount: toWireAmount(amount) }),
    ...(destinationReference != null && { destination_reference: destinationReference }),
    ...(destinationType != null && { destination_type: destinationType }),
    _links: { callback_url: callbackUrl },
  };
}
