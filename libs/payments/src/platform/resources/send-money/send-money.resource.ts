import { PaymentsValidationError } from '../../../payments.errors.js';
import type { Metadata } from '../../../money/metadata.js';
import { readAmountValue } from '../../../money/money.js';
import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import {
  readShownDestination,
  readTransferBatches,
  wireObjects,
  type ShownDestination,
  type TransferBatch,
} from '../../transfer-batch.resource.js';
import { wireObject, wireText, wireTexts, type WireObject } from '../../wire-value.js';
import { destinationsProblem } from './create-send-money.dto.js';
import type { SendMoneyDestination } from './send-money-destination.dto.js';

export const SEND_MONEY_TYPE = 'send_money';

/** A destination of a request, as the platform repeats it. A field that the platform did not send is null. @publicApi */
export interface SentDestination extends ShownDestination {
  /** `mobile_wallet`, `bank_account`, ... */
  type: string | null;
  /** Decimal string (`"1000"`); null when the platform sent no readable amount. */
  amount: string | null;
  description: string | null;
  /** The platform's id of the merchant's own account. */
  reference: string | null;
  /** The destination as the platform sent it. */
  raw: Record<string, unknown>;
}

/**
 * A request to send money as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
export interface SendMoney {
  id: string;
  /** `Processed` says that the platform handled the request, not that it paid: read the disbursements of the batches. */
  status: string | null;
  /** ISO 8601, as the platform wrote it. */
  createdAt: string | null;
  /** What pays, as the platform wrote it; `""` or null when the request named nothing. */
  sourceIdentifier: string | null;
  /** ISO 4217 code. */
  currency: string | null;
  /** As requested; null when all funds were sent. */
  destinations: SentDestination[] | null;
  /** One batch for each destination, in any order; null until the platform made them. */
  transferBatches: TransferBatch[] | null;
  /** The platform's error messages; empty when it sent none. */
  errors: string[];
  /** The metadata of the request. */
  metadata: Metadata | null;
  /** `callbackUrl` has its MAC replaced by a hash, because the MAC is a secret. */
  links: { callbackUrl: string | null; self: string | null };
  /** The resource as the platform sent it, except for the MAC in its callback URL. */
  raw: Record<string, unknown>;
}

export function readSendMoney({ id, attributes, links, raw }: ResourceEnvelope): SendMoney {
  return {
    id,
    status: wireText(attributes['status']),
    createdAt: wireText(attributes['created_at']),
    sourceIdentifier: wireText(attributes['source_identifier']),
    currency: wireText(attributes['currency']),
    destinations: wireObjects(attributes['destinations'])?.map(readSentDestination) ?? null,
    transferBatches: readTransferBatches(attributes['transfer_batches']),
    errors: wireTexts(attributes['errors']),
    metadata: wireObject(attributes['metadata']) as Metadata | null,
    links,
    raw,
  };
}

function readSentDestination(raw: WireObject): SentDestination {
  return {
    type: wireText(raw['type']),
    amount: readAmountValue(raw['amount']),
    description: wireText(raw['description']),
    reference: wireText(raw['reference']),
    ...readShownDestination(raw),
    raw,
  };
}

/** A request whose fields were checked, with its callback URL and phone numbers in international form. */
export interface CompleteSendMoney {
  currency: string;
  /** Not empty, unless `sweepAllFunds` is true. */
  destinations?: readonly SendMoneyDestination[];
  /** Sends ALL funds. */
  sweepAllFunds?: true;
  sourceIdentifier?: string;
  metadata?: Metadata;
  callbackUrl: string;
}

/**
 * @throws PaymentsValidationError when it has no destination and does not say `sweepAllFunds`, also when it was read from a damaged
 * record: the platform would send all funds
 */
export function toWireSendMoney(request: CompleteSendMoney): WireObject {
  const { destinations, sweepAllFunds, sourceIdentifier, metadata } = request;
  const problem = destinationsProblem(destinations, { sweepAllFunds });
  if (problem !== null) throw new PaymentsValidationError([{ field: 'destinations', problem }]);
  return {
    currency: request.currency,
    ...(sourceIdentifier != null && { source_identifier: sourceIdentifier }),
    ...(destinations && { destinations: destinations.map(toWireDestination) }),
    ...(metadata && { metadata }),
    _links: { callback_url: request.callbackUrl },
  };
}

function toWireDestination(destination: SendMoneyDestination): WireObject {
  const { type } = destination;
  // The platform requires a JSON number. `amountProblem` refuses amounts that a JSON number cannot carry exactly.
  const amount = Number(destination.amount);
  if (type === 'merchant_wallet' || type === 'merchant_bank_account') {
    const { reference, description } = destination;
    return { type, reference, amount, ...(description != null && { description }) };
  }
  const { description, nickname, favourite } = destination;
  return {
    type,
    ...toWireRecipient(destination),
    amount,
    description,
    ...(nickname != null && { nickname }),
    ...(favourite != null && { favourite }),
  };
}

function toWireRecipient(
  destination: Exclude<SendMoneyDestination, { reference: string }>,
): WireObject {
  switch (destination.type) {
    case 'mobile_wallet':
      return {
        // The platform refuses a `+` here.
        phone_number: destination.phoneNumber.replace('+', ''),
        network: destination.network,
      };
    case 'bank_account':
      return {
        bank_branch_ref: destination.bankBranchRef,
        account_name: destination.accountName,
        account_number: destination.accountNumber,
      };
    case 'till':
      return { till_number: destination.tillNumber };
    case 'paybill':
      return {
        paybill_number: destination.paybillNumber,
        paybill_account_number: destination.paybillAccountNumber,
      };
  }
}
