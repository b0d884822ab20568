import { IsOptional } from 'class-validator';
import { tillNumberProblem } from '../money/till-number.js';
import { filled, Satisfies } from '../runtime/validate-input.js';
import { accountNameProblem } from './payments.settings.js';

/** Who pauses or resumes sending, and why. @publicApi */
export class PauseDecision {
  /** The account. @default all accounts */
  @IsOptional()
  @Satisfies(accountNameProblem)
  account?: string | null;

  /** Who decides: it stays in the history. */
  @Satisfies(filled)
  by: string;

  /** Why: it stays in the history, and callers read it. */
  @Satisfies(filled)
  note: string;
}

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
