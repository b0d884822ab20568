import { IsOptional } from 'class-validator';
import { filled, Satisfies } from '../work/satisfies.decorator.js';
import { accountNameProblem } from '../work/account-name.js';
import { tillNumberProblem } from '../money/till-number.js';

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
