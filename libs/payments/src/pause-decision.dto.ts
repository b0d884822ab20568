import { IsOptional } from 'class-validator';
import { filled, Satisfies } from './resources/satisfies.decorator.js';
import { RESTORE_PAUSES, type RestorePause } from './runtime/traffic.store.js';
import { isAccountName } from './values/account-name.js';

/** Who pauses sending, and why. @publicApi */
export class PauseDecision {
  /** The account. @default all accounts */
  @IsOptional()
  @Satisfies((value) =>
    typeof value === 'string' && isAccountName(value) ? null : 'must be the name of an account',
  )
  account?: string | null;

  /** Who decides: it stays in the history. */
  @Satisfies(filled)
  by: string;

  /** Why: it stays in the history, and callers read it. */
  @Satisfies(filled)
  note: string;
}

/** Who resumes sending, and why. @publicApi */
export class ResumeDecision extends PauseDecision {
  /**
   * What a restore of the store pauses, instead of the pause of a person: `everything`, before its lost time was swept, or `money-out`, after somebody has
   * compared payouts and refunds with the platform's portal. The same money may move again afterwards.
   */
  @IsOptional()
  @Satisfies((value) =>
    RESTORE_PAUSES.some((one) => one === value)
      ? null
      : `must be one of ${RESTORE_PAUSES.join(', ')}`,
  )
  restore?: RestorePause | null;

  /** With `restore`: `at` of the newest such pause that you have seen. One that began later stays. */
  @Satisfies((value, { restore }) => {
    if (restore === undefined || restore === null) return null;
    return value instanceof Date && !Number.isNaN(value.getTime())
      ? null
      : 'must be a Date: `at` of the newest pause of a restore that you have seen';
  })
  seen?: Date;
}
