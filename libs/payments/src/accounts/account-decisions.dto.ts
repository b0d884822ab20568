import { IsOptional } from 'class-validator';
import { tillNumberProblem } from '../money/till-number.js';
import { filled, Satisfies } from '../runtime/validate-input.js';
import { accountNameProblem } from './payments.settings.js';

/** Names the person who pauses or resumes sending, and the reason. @publicApi */
export class PauseDecision {
  /** The account. @default all accounts */
  @IsOptional()
  @Satisfies(accountNameProblem)
  account?: string | null;

  /** The person who decides. The history keeps this name. */
  @Satisfies(filled)
  by: string;

  /** The reason. The history keeps it, and callers read it. */
  @Satisfies(filled)
  note: string;
}

/** Names the person who releases tills of an account, and the reason. @publicApi */
export class TillRelease {
  @Satisfies(accountNameProblem)
  account: string;

  /** One till. @default all tills and API keys of the account */
  @IsOptional()
  @Satisfies(tillNumberProblem)
  till?: string;

  /** The person who decides. The log contains this name. */
  @Satisfies(filled)
  by: string;

  /** The reason. The log contains it. */
  @Satisfies(filled)
  note: string;
}
