import type { CurrentSettings } from '../../accounts/payments.settings.js';
import type { Metadata } from '../../money/values.js';
import { PaymentsValidationError } from '../../payments.errors.js';
import { Concealed } from '../../runtime/validate-input.js';
import { assertBareCreates, type BareCallbacks } from '../bare-requests.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { attemptResource, createResource, getResource } from '../resource-requests.js';
import {
  amountValue,
  listOrNull,
  metadata,
  type ResourceTable,
  type Shown,
  type ShownFields,
  text,
  texts,
  whole,
} from '../resource-table.js';
import type { CreateOutcome, Sending } from '../sending.js';
import {
  DESTINATION_FIELDS,
  type ShownDestination,
  transferBatches,
} from '../transfer-batch.resource.js';
import { toWireRequest, type WireObject } from '../wire-value.js';
import {
  type CreateSendMoneyDto,
  destinationsProblem,
  type SendMoneyDestination,
  SendMoneyFields,
  validateSendMoney,
} from './create-send-money.dto.js';

/**
 * The bare resource: sends money out, without idempotency key and without following the outcome. A payout that was sent twice is
 * paid twice.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
@Concealed()
export class SendMoneyService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Sends money to destinations, or ALL funds: each call that succeeds can move the money once. The platform posts the results to
   * `callbackUrl`. When it posts to our own URL, we emit `send-money.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong, also when `destinations` is empty or missing and `sweepAllFunds` is not
   * true; nothing was sent
   * @throws PayoutLimitError when the account has `payouts.limits`, which this call would pass; nothing was sent
   * @throws PlatformRejectedError when the platform refused; no money moves
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when the money may have been sent: do not send it again
   * @example
   * const { id } = await sendMoney.create({
   *   currency: 'KES',
   *   destinations: [
   *     { type: 'mobile_wallet', phoneNumber: '+254700000001', network: 'Safaricom', amount: '1000.00', description: 'Wages' },
   *   ],
   * });
   */
  async create(dto: CreateSendMoneyDto): Promise<CreatedResource> {
    assertBareCreates(this.settings.current);
    const checked = validateSendMoney(SendMoneyFields, dto, this.settings.current);
    const callbackUrl = this.callbacks.urlOf('send-money', checked.callbackUrl);
    const body = toWireSendMoney(this.complete(checked, callbackUrl));
    return createResource(this.client, SEND_MONEY, body);
  }

  /**
   * Reads a request to send money. No money moves.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  get(id: string): Promise<SendMoney> {
    return getResource(this.client, SEND_MONEY, id);
  }

  /**
   * Sends a request that is complete and recorded, within a time limit.
   * @throws PaymentsValidationError when it has no destination and does not say `sweepAllFunds`; nothing was sent
   * @internal
   */
  async post(request: CompleteSendMoney, sending: Sending): Promise<CreateOutcome> {
    return attemptResource(this.client, SEND_MONEY, toWireSendMoney(request), sending);
  }

  /**
   * Returns the request as it is sent. Its fields must have been checked by `validateSendMoney`.
   * @internal
   */
  complete(checked: SendMoneyFields, callbackUrl: string): CompleteSendMoney {
    const { currency, destinations, sweepAllFunds, sourceIdentifier, metadata } = checked;
    return {
      currency,
      ...(destinations && { destinations }),
      ...(sweepAllFunds && { sweepAllFunds }),
      ...(sourceIdentifier != null && { sourceIdentifier }),
      ...(metadata && { metadata }),
      callbackUrl,
    };
  }
}

const SENT_FIELDS = {
  /** `mobile_wallet`, `bank_account`, ... */
  type: text,
  /** Decimal string (`"1000"`); null when the platform sent no readable amount. */
  amount: amountValue,
  description: text,
  /** The platform's id of the merchant's own account. */
  reference: text,
  /** The destination as the platform sent it. */
  raw: whole,
};

/** A destination of a request, as the platform repeats it. A field that the platform did not send is null. @publicApi */
export interface SentDestination extends ShownDestination, ShownFields<typeof SENT_FIELDS> {}

export const SEND_MONEY = {
  noun: 'send money',
  path: '/api/v2/send_money',
  types: ['send_money'],
  callback: 'send-money',
  fields: {
    /** `Processed` says that the platform handled the request, not that it paid: read the disbursements of the batches. */
    status: text,
    /** ISO 8601, as the platform wrote it. */
    createdAt: text,
    /** Says what pays, as the platform wrote it; `""` or null when the request named nothing. */
    sourceIdentifier: text,
    /** ISO 4217 code. */
    currency: text,
    /** The destinations as requested; null when all funds were sent. */
    destinations: listOrNull<SentDestination>({ ...DESTINATION_FIELDS, ...SENT_FIELDS }),
    /** One batch for each destination, in any order; null until the platform made them. */
    transferBatches,
    /** The platform's error messages; empty when it sent none. */
    errors: texts,
    /** The metadata of the request. */
    metadata,
  },
} satisfies ResourceTable;

/**
 * A request to send money as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
export interface SendMoney extends Shown<typeof SEND_MONEY> {}

/** A request whose fields were checked, with its callback URL and phone numbers in international form. */
export interface CompleteSendMoney {
  currency: string;
  /** It is not empty, unless `sweepAllFunds` is true. */
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
  const { currency, destinations, sweepAllFunds, sourceIdentifier, metadata } = request;
  const problem = destinationsProblem(destinations, { sweepAllFunds });
  if (problem !== null) throw new PaymentsValidationError([{ field: 'destinations', problem }]);
  const sent = destinations?.map(toWireDestination);
  const fields = { currency, sourceIdentifier, destinations: sent, metadata };
  return toWireRequest(fields, request.callbackUrl);
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
