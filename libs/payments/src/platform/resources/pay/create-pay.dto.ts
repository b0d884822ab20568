import { Type } from 'class-transformer';
import { IsDefined, IsIn, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { metadataProblem, type Metadata } from '../../../money/metadata.js';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { AmountDto } from '../../amount.dto.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

const RECIPIENT_TYPES = ['mobile_wallet', 'bank_account', 'till', 'paybill'] as const;

/**
 * A request to pay a recipient.
 * @see docs/conformance.md#pay
 * @publicApi
 */
export class CreatePayDto {
  /** Type of the recipient. */
  @IsIn(RECIPIENT_TYPES, { message: `$property must be one of ${RECIPIENT_TYPES.join(', ')}` })
  destinationType: (typeof RECIPIENT_TYPES)[number];

  /** The `recipientReference` of the recipient. */
  @Satisfies((value) =>
    value === 'Unavailable'
      ? 'must be the reference of a recipient, which the dashboard of the platform shows: "Unavailable" is none'
      : filled(value, {}),
  )
  destinationReference: string;

  @IsDefined({ message: '$property is missing: say how much to pay' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => AmountDto)
  amount: AmountDto;

  /** What the money is for. */
  @Satisfies(filled)
  description: string;

  @IsOptional()
  @Satisfies(filled)
  category?: string;

  /** A text, or a list of texts. */
  @IsOptional()
  @Satisfies((value) => {
    const tags: unknown[] = Array.isArray(value) ? value : [value];
    return tags.length > 0 && tags.every((tag) => filled(tag, {}) === null)
      ? null
      : 'must be a text that is not empty, or a list of such texts';
  })
  tags?: string | readonly string[];

  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  /**
   * `https:` URL to which the platform posts the results. With another URL than the default we emit no event for them.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}
