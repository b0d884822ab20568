import { IsOptional } from 'class-validator';
import { filled, Satisfies } from './resources/satisfies.decorator.js';
import { accountNameProblem } from './values/account-name.js';
import { tillNumberProblem } from './values/till-number.js';

/** Who releases tills of an account, and why. @publicApi */
export class TillRelease {
  @Satisfies(accountNameProblem)
  account: string;

  /** One till. @default all tills and API keys of the account */
  @IsOptional()
  @Satisfies(tillNumberProblem)
  till?: string;

  /** Who decides. The log has it. */
  @Satisfies(filled)
  by: string;

  /** Why. The log has it. */
  @Satisfies(filled)
  note: string;
}
