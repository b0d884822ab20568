import { SCENARIOS, type ScenarioName } from '@tillkit/simulator';

export interface PracticePhone {
  /** As a customer would type it. */
  readonly number: string;
  /** What its owner does, in few words. */
  readonly owner: string;
  /** What happens then, in the simulator's words. */
  readonly summary: string;
  /** Whether the checkout offers it; the others are for who looks for trouble. */
  readonly isFeatured: boolean;
}

const FEATURED: Partial<Record<ScenarioName, string>> = {
  succeeds: 'enters the PIN',
  cancelled: 'presses cancel',
  wrong_pin: 'mistypes the PIN',
  insufficient_funds: 'has too little money',
  no_answer: 'lets it ring out (a minute)',
  phone_off: 'has switched it off',
  callback_lost: 'pays, and the news gets lost',
  reversed: 'pays, and gets it back',
};

/** One phone for each of the simulator's scenarios. */
export const PRACTICE_PHONES: readonly PracticePhone[] = Object.entries(SCENARIOS).map(
  ([name, { digits, summary }]) => ({
    number: `07000000${digits}`,
    owner: FEATURED[name as ScenarioName] ?? summary,
    summary,
    isFeatured: name in FEATURED,
  }),
);
