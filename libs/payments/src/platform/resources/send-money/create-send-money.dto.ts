import { IsOptional } from 'class-validator';
import { metadataProblem, type Metadata } from '../../../money/metadata.js';
import { currencyProblem } from '../../../money/money.js';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';
import type { SendMoneyDestination } from './send-money-destination.dto.js';

/** What a request to send money has, whatever it sends. @publicApi */
export interface SendMoneyBase {
  /** ISO 4217 code, such as `KES`. */
  currency: string;
  /** What pays: a till number. @default the platform's choice */
  sourceIdentifier?: string;
  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  metadata?: Metadata;
  /**
   * `https:` URL to which the platform posts the results. With another URL than the default we emit no event for them.
   * @default our callback URL
   */
  callbackUrl?: string;
}

/** A request to send money to destinations. @see docs/conformance.md#send-money @publicApi */
export interface SendMoneyToDestinations extends SendMoneyBase {
  /** At least one. The platform takes a request without destinations as the order to send ALL funds. */
  destinations: readonly [SendMoneyDestination, ...SendMoneyDestination[]];
  sweepAllFunds?: never;
}

/** A request to send ALL funds to the merchant's own accounts. @see docs/conformance.md#send-money @publicApi */
export interface SweepAllFunds extends SendMoneyBase {
  /** Says that ALL funds are to be sent. It stands alone: without destinations. */
  sweepAllFunds: true;
  destinations?: never;
}

/**
 * A request to send money out: to destinations, or ALL funds.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
export type CreateSendMoneyDto = SendMoneyToDestinations | SweepAllFunds;

/** The error text for a list of destinations that cannot be sent; null when it may be. */
export function destinationsProblem(
  value: unknown,
  { sweepAllFunds }: { sweepAllFunds?: unknown },
): string | null {
  if (sweepAllFunds === true)
    return value === undefined
      ? null
      : 'must be left out, because sweepAllFunds is true: send to destinations, or send all funds';
  return Array.isArray(value) && value.length > 0
    ? null
    : 'must be a list of at least one destination: without destinations the platform would send ALL funds of the account. ' +
        'To send all funds, pass sweepAllFunds: true and no destinations';
}

/** The rules of the fields of a request; those of each destination are in `validateSendMoney`. */
export class SendMoneyFields {
  @Satisfies(currencyProblem)
  currency: string;

  @Satisfies(destinationsProblem)
  destinations?: readonly SendMoneyDestination[];

  @Satisfies((value) =>
    value === undefined || value === true
      ? null
      : 'must be left out, or true to send ALL funds of the account',
  )
  sweepAllFunds?: true;

  @IsOptional()
  @Satisfies(filled)
  sourceIdentifier?: string;

  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}
