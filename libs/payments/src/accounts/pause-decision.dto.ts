import { IsOptional } from 'class-validator';
import { filled, Satisfies } from '../work/satisfies.decorator.js';
import { accountNameProblem } from '../work/account-name.js';

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
