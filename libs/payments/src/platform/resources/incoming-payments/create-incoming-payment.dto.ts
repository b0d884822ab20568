import { Type } from 'class-transformer';
import { IsDefined, IsEmail, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { metadataProblem, type Metadata } from '../../../money/metadata.js';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { tillNumberProblem } from '../../../money/till-number.js';
import { AmountDto } from '../../amount.dto.js';
import { phoneProblem } from '../../../work/mobile-phone.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/**
 * The customer who is asked to pay.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export class SubscriberDto {
  @Satisfies(filled)
  firstName: string;

  @IsOptional()
  @Satisfies(filled)
  middleName?: string;

  @Satisfies(filled)
  lastName: string;

  /** Mobile number in international form with `+`, or as written in `defaultCountry`: `+254700000001`, `0700 000 001`. */
  @Satisfies(phoneProblem)
  phoneNumber: string;

  @IsOptional()
  @IsEmail({}, { message: '$property must be an e-mail address' })
  email?: string;
}

/**
 * A request to debit a subscriber.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export class CreateIncomingPaymentDto {
  /** Name of the push-payment channel: `M-PESA STK Push`. @default the option `channel` */
  @IsOptional()
  @Satisfies(filled)
  paymentChannel?: string;

  /** Till number, or online payment account number, which starts with `K`. @default the option `tillNumber` */
  @IsOptional()
  @Satisfies(tillNumberProblem)
  tillNumber?: string;

  @IsDefined({ message: '$property is missing' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => SubscriberDto)
  subscriber: SubscriberDto;

  @IsDefined({ message: '$property is missing' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => AmountDto)
  amount: AmountDto;

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
