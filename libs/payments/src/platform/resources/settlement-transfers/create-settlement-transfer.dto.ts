import { Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, ValidateIf, ValidateNested } from 'class-validator';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { AmountDto } from '../../amount.dto.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/** What a settlement transfer has, whatever it transfers. @publicApi */
export interface SettlementTransferBase {
  /** The `accountReference` of an account of the merchant. @default the platform's choice */
  destinationReference?: string;
  /** What `destinationReference` is. */
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

/** The error text for an amount that is missing, or that stands beside `sweepAllFunds`; null when it may be sent. */
export function transferredProblem(amount: unknown, sweepAllFunds: unknown): string | null {
  if (sweepAllFunds === true)
    return amount === undefined
      ? null
      : 'must be left out, because sweepAllFunds is true: transfer an amount, or all funds';
  return amount === undefined || amount === null
    ? 'is missing: without amount the platform would transfer ALL funds of the account. To transfer all funds, pass sweepAllFunds: true and no amount'
    : null;
}

/** The rules of the fields of a request; that of amount and `sweepAllFunds` together is `transferredProblem`. */
export class SettlementTransferFields {
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
