import { IsOptional } from 'class-validator';
import { type Metadata, metadataProblem, secureUrlProblem } from '../../money/values.js';
import { Concealed, filled, Satisfies, validateInput } from '../../runtime/validate-input.js';
import type { BareCallbacks } from '../bare-requests.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { attemptResource, createResource, getResource } from '../resource-requests.js';
import {
  amountValue,
  metadata,
  part,
  reference,
  type ResourceTable,
  type Shown,
  type ShownFields,
  text,
  texts,
  whole,
} from '../resource-table.js';
import type { CreateOutcome, Sending } from '../sending.js';
import { toWireRequest, type WireObject } from '../wire-value.js';

/**
 * The bare resource: sends received money back to the customer who paid it, without idempotency key and without following the outcome.
 * @see docs/conformance.md#reversals
 * @publicApi
 */
@Concealed()
export class ReversalsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
  ) {}

  /**
   * Asks the platform to send the whole money of a transaction back. The platform posts the result to `callbackUrl`. When it posts to
   * our own URL, we emit `reversal.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused, also when a reversal of the transaction is in progress; this request moves
   * no money
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when the money may go back: do not send it again
   * @example
   * const { id } = await reversals.create({ transactionReference: 'TX12345678', reason: 'The goods are out of stock' });
   */
  async create(dto: CreateReversalDto): Promise<CreatedResource> {
    const { callbackUrl, ...checked } = validateInput(CreateReversalDto, dto);
    const reversal = { ...checked, callbackUrl: this.callbacks.urlOf('reversals', callbackUrl) };
    return createResource(this.client, REVERSAL, toWireReversal(reversal));
  }

  /**
   * Reads a reversal. No money moves.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  get(id: string): Promise<Reversal> {
    return getResource(this.client, REVERSAL, id);
  }

  /**
   * Sends a request that is checked and recorded, within a time limit.
   * @internal
   */
  post(reversal: CompleteReversal, sending: Sending): Promise<CreateOutcome> {
    return attemptResource(this.client, REVERSAL, toWireReversal(reversal), sending);
  }
}

/**
 * A request to send received money back to the customer who paid it.
 * @see docs/conformance.md#reversals
 * @publicApi
 */
export class CreateReversalDto {
  /** Reference of the transaction that brought the money. The platform reverses it within 30 days. */
  @Satisfies(filled)
  transactionReference: string;

  /** Says why the money goes back. */
  @Satisfies(filled)
  reason: string;

  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  /**
   * `https:` URL to which the platform posts the result. With another URL than the default we emit no event for it.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}

const BULK_PAYMENT = {
  /** Decimal string (`"100.0"`); null when the platform sent no readable amount. */
  amount: amountValue,
  /** `Transferred`: the money went back. `Cancelled`: it did not. Any other status is not final. */
  status: text,
  /** ISO 8601, as the platform wrote it. */
  originationTime: text,
  /** Its own reference, not that of the transaction that is reversed. */
  transactionReference: reference,
  /** The payment as the platform sent it. */
  raw: whole,
};

/** The payment that sends the money back. A field that the platform did not send is null. @publicApi */
export interface ReversalBulkPayment extends ShownFields<typeof BULK_PAYMENT> {}

export const REVERSAL = {
  noun: 'reversal',
  path: '/api/v2/reversals',
  // The platform's documentation uses both.
  types: ['reversal', 'reversals'],
  callback: 'reversals',
  fields: {
    /** `Processed` says that the platform handled the request, not that the money went back: read `reversalBulkPayment`. */
    status: text,
    /** ISO 8601, as the platform wrote it. */
    createdAt: text,
    /** Reference of the transaction that is reversed. */
    transactionReference: text,
    reason: text,
    /** The payment that sends the money back; null until there is one. */
    reversalBulkPayment: part<ReversalBulkPayment>(BULK_PAYMENT),
    /** The platform's error messages; empty when it sent none. */
    errors: texts,
    /** The metadata of the request. */
    metadata,
  },
} satisfies ResourceTable;

/**
 * A reversal as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#reversals
 * @publicApi
 */
export interface Reversal extends Shown<typeof REVERSAL> {}

/** A request with its callback URL. */
interface CompleteReversal {
  transactionReference: string;
  reason: string;
  metadata?: Metadata;
  callbackUrl: string;
}

function toWireReversal(request: CompleteReversal): WireObject {
  const { transactionReference, reason, metadata, callbackUrl } = request;
  return toWireRequest({ transactionReference, reason, metadata }, callbackUrl);
}
