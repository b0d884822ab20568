import { Type } from 'class-transformer';
import { IsDefined, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { metadataProblem, type Metadata } from '../../../money/metadata.js';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { tillNumberProblem } from '../../../money/till-number.js';
import { AmountDto } from '../../amount.dto.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/**
 * A request for a link at which a customer can pay.
 * @see docs/conformance.md#payment-links
 * @publicApi
 */
export class CreatePaymentLinkDto {
  /** Till number to which the money goes. @default the option `tillNumber` */
  @IsOptional()
  @Satisfies(tillNumberProblem)
  tillNumber?: string;

  @IsDefined({ message: '$property is missing' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => AmountDto)
  amount: AmountDto;

  /** The host's own reference, such as the number of an order. */
  @IsOptional()
  @Satisfies(filled)
  paymentReference?: string;

  /** A text for the customer. */
  @IsOptional()
  @Satisfies(filled)
  note?: string;

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
