import { IsOptional, Matches } from 'class-validator';
import { secureUrlProblem } from '../../values/secure-url.js';
import { readTimestamp } from '../../values/timestamp.js';
import { isTillNumber } from '../../values/till-number.js';
import { Satisfies, type Problem } from '../satisfies.decorator.js';

const timestamp: Problem = (value) =>
  readTimestamp(value)
    ? null
    : 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T08:00:00+03:00';

/** A request to list the transactions of a time window (spec 4.6). @publicApi */
export class CreatePollingDto {
  /** @default 'company' */
  @IsOptional()
  @Matches(/^[a-z]+$/, { message: '$property must be a scope such as company or till' })
  scope?: string;

  /** Empty for scope `company`, the till number for scope `till`. @default '' */
  @IsOptional()
  @Satisfies((value, { scope }) => {
    if (scope === 'till')
      return isTillNumber(value) ? null : 'must be the till number, since scope is till';
    return typeof value === 'string' ? null : 'must be a text';
  })
  scopeReference?: string;

  /** Start of the window. */
  @Satisfies(timestamp)
  fromTime: string;

  /** End of the window. */
  @Satisfies((value, object) => {
    const from = readTimestamp(object['fromTime']);
    const to = readTimestamp(value);
    return timestamp(value, object) ?? (from && to && from >= to ? 'must be after fromTime' : null);
  })
  toTime: string;

  /** Where the result is posted. @default our own (signed) callback URL */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}
