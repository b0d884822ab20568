import { IsOptional, Matches } from 'class-validator';
import { secureUrlProblem } from '../../../money/secure-url.js';
import { isTillNumber } from '../../../money/till-number.js';
import { isTimestamp, readTimestamp } from '../../../money/timestamp.js';
import { Satisfies, type Problem } from '../../../work/satisfies.decorator.js';

const timestamp: Problem = (value) =>
  isTimestamp(value)
    ? null
    : 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T08:00:00+03:00';

/**
 * A request to list the transactions of a time window.
 * @see docs/conformance.md#polling
 * @publicApi
 */
export class CreatePollingDto {
  /** `company` for all tills, `till` for one. @default 'company' */
  @IsOptional()
  @Matches(/^[a-z]+$/, { message: '$property must be a scope such as company or till' })
  scope?: string;

  /** Till number for the scope `till`; empty for `company`. @default '' */
  @IsOptional()
  @Satisfies((value, { scope }) => {
    if (scope === 'till')
      return isTillNumber(value) ? null : 'must be the till number, since scope is till';
    return typeof value === 'string' ? null : 'must be a text';
  })
  scopeReference?: string;

  /** Start of the window, ISO 8601 with an offset: `2026-01-31T08:00:00+03:00`. */
  @Satisfies(timestamp)
  fromTime: string;

  /** End of the window, ISO 8601 with an offset; it must be after `fromTime`. */
  @Satisfies((value, object) => {
    const from = readTimestamp(object['fromTime']);
    const to = readTimestamp(value);
    return timestamp(value, object) ?? (from && to && from >= to ? 'must be after fromTime' : null);
  })
  toTime: string;

  /**
   * `https:` URL to which the platform posts the result. With another URL than the default we emit no event.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}
