import { IsOptional } from 'class-validator';
import { phoneProblem } from '../../../work/mobile-phone.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/**
 * A mobile money account of the merchant.
 * @see docs/conformance.md#merchant-wallets
 * @publicApi
 */
export class CreateMerchantWalletDto {
  @Satisfies(filled)
  firstName: string;

  @Satisfies(filled)
  lastName: string;

  /** Mobile number in international form with `+`, or as written in `defaultCountry`: `+254700000001`, `0700 000 001`. */
  @Satisfies(phoneProblem)
  phoneNumber: string;

  /** Name of the mobile network: `Safaricom`. */
  @Satisfies(filled)
  network: string;

  /** A name under which the platform shows the account. */
  @IsOptional()
  @Satisfies(filled)
  nickname?: string;
}
