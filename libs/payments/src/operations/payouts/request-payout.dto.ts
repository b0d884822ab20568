import { IsOptional } from 'class-validator';
import { besidesProblem, idempotencyKeyProblem } from '../../ledger/request-names.js';
import { sendBeforeProblem } from '../../send/sending-time.js';
import { filled, Satisfies } from '../../work/satisfies.decorator.js';
import { SendMoneyFields } from '../../platform/resources/send-money/create-send-money.dto.js';
import type { SendMoneyDestination } from '../../platform/resources/send-money/send-money-destination.dto.js';
import type { Metadata } from '../../money/metadata.js';

/**
 * The input of `PayoutsService.request()` and `record()`.
 * @example
 * const input: RequestPayout = {
 *   idempotencyKey: 'wages-2026-11-jane',
 *   currency: 'KES',
 *   destinations: [
 *     { type: 'mobile_wallet', phoneNumber: '+254700000001', network: 'Safaricom', amount: '1000.00', description: 'Wages' },
 *   ],
 * };
 * @publicApi
 */
export interface RequestPayout {
  /**
   * Identifies this payout, 1 to 255 characters, such as an invoice number with an attempt. The same key never pays twice. With the
   * same request it returns the same payout; with a different request it is an `IdempotencyConflictError`.
   */
  idempotencyKey: string;
  /** ISO 4217 code: `KES`. */
  currency: string;
  /** Who is paid, and how much: at least one destination. */
  destinations: readonly [SendMoneyDestination, ...SendMoneyDestination[]];
  /** What pays: a till number. @default the platform's choice */
  sourceIdentifier?: string;
  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  metadata?: Metadata;
  /** Who asks for it: a name or an id of the host. Required when a second person must approve it. */
  requestedBy?: string;
  /**
   * Ids of payouts that are in the way, and that this one passes: those that a `PayoutInFlightError` named, after a person looked at them. Any other
   * payout in the way still refuses it, and so does a named one that was paid meanwhile. A repeat with other ids is the same request.
   */
  besides?: readonly string[];
  /**
   * Milliseconds in which this request may be sent; a longer time than `sending.sendBeforeMs` of the settings counts as that. While the platform is down,
   * `request()` takes so long; then the payout fails with reason `not_sent`. A repeat with another time is the same request.
   * The time of a payout that waits for approval begins with the approval, and is that of the settings.
   * @default `sending.sendBeforeMs`
   */
  sendBeforeMs?: number;
}

/** The rules of the fields of a request; those of each destination are in `validateSendMoney`. */
export class PayoutFields extends SendMoneyFields {
  @Satisfies(idempotencyKeyProblem)
  idempotencyKey: string;

  @IsOptional()
  @Satisfies(filled)
  requestedBy?: string;

  @IsOptional()
  @Satisfies(besidesProblem)
  besides?: string[];

  @IsOptional()
  @Satisfies(sendBeforeProblem)
  sendBeforeMs?: number;

  @IsOptional()
  @Satisfies(
    () =>
      'cannot be given: a payout names each amount, so that limits can be checked. To send all funds, use SendMoneyService.create()',
  )
  declare sweepAllFunds?: never;

  @IsOptional()
  @Satisfies(() => 'cannot be given: results of a payout come to our own URL')
  declare callbackUrl?: never;
}
