import { IsOptional } from 'class-validator';
import { metadataProblem, type Metadata } from '../../../money/metadata.js';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/**
 * A request to send received money back to the customer who paid it.
 * @see docs/conformance.md#reversals
 * @publicApi
 */
export class CreateReversalDto {
  /** Reference of the transaction that brought the money. The platform reverses it within 30 days. */
  @Satisfies(filled)
  transactionReference: string;

  /** Why the money goes back. */
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
