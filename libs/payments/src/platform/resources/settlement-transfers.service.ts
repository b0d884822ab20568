import { Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, ValidateIf, ValidateNested } from 'class-validator';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { secureUrlProblem } from '../../money/values.js';
import { PaymentsValidationError } from '../../payments.errors.js';
import { Concealed, filled, Satisfies, validateInput } from '../../runtime/validate-input.js';
import { assertBareCreates, type BareCallbacks } from '../bare-requests.js';
import { AmountDto } from '../input.dto.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { createResource, getResource } from '../resource-requests.js';
import type { ResourceTable } from '../resource-table.js';
import { type Transfer, TRANSFER_FIELDS } from '../transfer-batch.resource.js';
import { toWireAmount, toWireRequest, type WireObject } from '../wire-value.js';

/**
 * The bare resource: transfers money to an account of the merchant, without idempotency key and without following the outcome.
 * @deprecated The platform replaced it: use `SendMoneyService` with a destination of the type `merchant_wallet` or
 * `merchant_bank_account`, or with `sweepAllFunds`.
 * @see docs/conformance.md#settlement-transfers
 * @publicApi
 */
@Concealed()
export class SettlementTransfersService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Transfers an amount, or ALL funds, to an account of the merchant: each call that succeeds can move the money once. The platform posts
   * the results to `callbackUrl`. When it posts to our own URL, we emit `settlement-transfer.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong, also when `amount` is missing and `sweepAllFunds` is not true; nothing was sent
   * @throws PayoutLimitError when the account has `payouts.limits`, which this call would pass; nothing was sent
   * @throws PlatformRejectedError when the platform refused; no money moves
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when the money may have been transferred: do not send it again
   * @example
   * const { id } = await transfers.create({
   *   amount: { currency: 'KES', value: '1000.00' },
   *   destinationType: 'merchant_wallet',
   *   destinationReference: 'wallet-1',
   * });
   */
  async create(dto: CreateSettlementTransferDto): Promise<CreatedResource> {
    assertBareCreates(this.settings.current);
    const checked = validateInput(SettlementTransferFields, dto);
    const callbackUrl = this.callbacks.urlOf('settlement-transfers', checked.callbackUrl);
    const body = toWireSettlementTransfer(checked, callbackUrl);
    return createResource(this.client, SETTLEMENT_TRANSFER, body);
  }

  /**
   * Reads a transfer. No money moves.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  get(id: string): Promise<SettlementTransfer> {
    return getResource(this.client, SETTLEMENT_TRANSFER, id);
  }
}

/** Every settlement transfer has these fields. @publicApi */
export interface SettlementTransferBase {
  /** The `accountReference` of an account of the merchant. @default the platform's choice */
  destinationReference?: string;
  /** Says which kind of account `destinationReference` names. */
  destinationType?: 'merchant_wallet' | 'merchant_bank_account';
  /**
   * `https:` URL to which the platform posts the results. With another URL than the default we emit no event for them.
   * @default our callback URL
   */
  callbackUrl?: string;
}

/** A request to transfer an amount to an account of the merchant. @publicApi */
export interface TransferAmount extends SettlementTransferBase {
  /** The platform takes a request without amount as the order to transfer ALL funds. */
  amount: AmountDto;
  sweepAllFunds?: never;
}

/** A request to transfer ALL funds to an account of the merchant. @publicApi */
export interface TransferAllFunds extends SettlementTransferBase {
  /** Says that ALL funds are to be transferred. It stands alone: without amount. */
  sweepAllFunds: true;
  amount?: never;
}

/**
 * A request to transfer money to an account of the merchant: an amount, or ALL funds.
 * @see docs/conformance.md#settlement-transfers
 * @publicApi
 */
export type CreateSettlementTransferDto = TransferAmount | TransferAllFunds;

/** Returns the error text for an amount that is missing, or that stands beside `sweepAllFunds`; null when it may be sent. */
function transferredProblem(amount: unknown, sweepAllFunds: unknown): string | null {
  if (sweepAllFunds === true)
    return amount === undefined
      ? null
      : 'must be left out, because sweepAllFunds is true: transfer an amount, or all funds';
  return amount === undefined || amount === null
    ? 'is missing: without amount the platform would transfer ALL funds of the account. To transfer all funds, pass sweepAllFunds: true and no amount'
    : null;
}

/** The rules of the fields of a request; that of amount and `sweepAllFunds` together is `transferredProblem`. */
class SettlementTransferFields {
  @ValidateIf((_, amount) => amount !== undefined && amount !== null)
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => AmountDto)
  amount?: AmountDto;

  @Satisfies((value) =>
    value === undefined || value === true
      ? null
      : 'must be left out, or true to transfer ALL funds of the account',
  )
  sweepAllFunds?: true;

  @IsOptional()
  @Satisfies(filled)
  destinationReference?: string;

  @IsOptional()
  @IsIn(['merchant_wallet', 'merchant_bank_account'], {
    message: '$property must be merchant_wallet or merchant_bank_account',
  })
  destinationType?: 'merchant_wallet' | 'merchant_bank_account';

  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}

export const SETTLEMENT_TRANSFER = {
  noun: 'settlement transfer',
  path: '/api/v1/settlement_transfers',
  types: ['settlement_transfer'],
  callback: 'settlement-transfers',
  fields: TRANSFER_FIELDS,
} satisfies ResourceTable;

/**
 * A transfer to an account of the merchant as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#settlement-transfers
 * @publicApi
 */
export type SettlementTransfer = Transfer;

/** @throws PaymentsValidationError when it has no amount and does not say `sweepAllFunds`: the platform would transfer all funds */
function toWireSettlementTransfer(
  { amount, sweepAllFunds, destinationReference, destinationType }: SettlementTransferFields,
  callbackUrl: string,
): WireObject {
  const problem = transferredProblem(amount, sweepAllFunds);
  if (problem !== null) throw new PaymentsValidationError([{ field: 'amount', problem }]);
  const fields = { amount: amount && toWireAmount(amount), destinationReference, destinationType };
  return toWireRequest(fields, callbackUrl);
}
