import { IsOptional } from 'class-validator';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/**
 * A bank account of the merchant.
 * @see docs/conformance.md#merchant-bank-accounts
 * @publicApi
 */
export class CreateMerchantBankAccountDto {
  @Satisfies(filled)
  accountName: string;

  @Satisfies(filled)
  accountNumber: string;

  /** The platform's id of the bank's branch. Only the platform's own dashboard shows it. */
  @Satisfies(filled)
  bankBranchRef: string;

  /** How banks transfer the money: `EFT` or `RTS`. */
  @Satisfies(filled)
  settlementMethod: string;

  /** A name under which the platform shows the account. */
  @IsOptional()
  @Satisfies(filled)
  nickname?: string;
}
