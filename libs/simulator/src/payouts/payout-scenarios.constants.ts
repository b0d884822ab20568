/** The end of a payout to a destination. */
export type PayoutOutcome = 'transferred' | 'cancelled' | 'open';

/** A payout to a number that ends with these digits goes this way. */
export interface PayoutScenarioDescription {
  /** The last two digits of the destinations with this scenario. */
  readonly digits: string;
  readonly outcome: PayoutOutcome;
  readonly summary: string;
  /** The text in `errors`. */
  readonly error?: string;
  /** Status that the platform reports instead of `Transferred`. */
  readonly status?: string;
  /** The opposite happens `timings.afterwards` later. */
  readonly isContradicted?: boolean;
  /** True when the money moves after `timings.slowDisbursement`. */
  readonly isSlow?: boolean;
  /** True when no callback of the request is ever sent. */
  readonly isSilent?: boolean;
}

/** The error text of a payout or refund for which the till has too little money. */
export const INSUFFICIENT_BALANCE = 'The balance is insufficient for the transaction';

const UNREACHABLE = 'The destination account could not be credited';

/**
 * Decides what happens to a payout, and to the refund of a customer, by the last two digits of the destination's number.
 * @publicApi
 */
export const PAYOUT_SCENARIOS = {
  transferred: { digits: '61', outcome: 'transferred', summary: 'Transferred.' },
  cancelled: {
    digits: '62',
    outcome: 'cancelled',
    error: UNREACHABLE,
    summary: 'Cancelled, with an error text. No money moves.',
  },
  transferred_with_errors: {
    digits: '63',
    outcome: 'transferred',
    error: 'The confirmation of the destination was not received',
    summary: 'The money moves: Transferred, but with an error text.',
  },
  open: {
    digits: '64',
    outcome: 'open',
    summary: 'It stays Processing for ever. The money stays reserved.',
  },
  transferred_after_cancelled: {
    digits: '65',
    outcome: 'cancelled',
    error: UNREACHABLE,
    isContradicted: true,
    summary: 'Cancelled. The money moves 5 seconds later after all: Transferred.',
  },
  cancelled_after_transferred: {
    digits: '66',
    outcome: 'transferred',
    isContradicted: true,
    summary: 'Transferred. The money returns 5 seconds later: Cancelled.',
  },
  unknown_status: {
    digits: '67',
    outcome: 'transferred',
    status: 'Settling',
    summary: 'The money moves, but the status is the unknown word Settling for ever.',
  },
  insufficient_balance: {
    digits: '68',
    outcome: 'cancelled',
    error: INSUFFICIENT_BALANCE,
    summary: 'Cancelled for lack of funds, whatever the balance of the till is.',
  },
  slow: {
    digits: '69',
    outcome: 'transferred',
    isSlow: true,
    summary: 'Transferred after an hour.',
  },
  silent: {
    digits: '70',
    outcome: 'transferred',
    isSilent: true,
    summary: 'Transferred. No callback of the request is ever sent.',
  },
} as const satisfies Record<string, PayoutScenarioDescription>;

/** A scenario of a payout, which the last digits of the recipient select: a key of `PAYOUT_SCENARIOS`. */
export type PayoutScenarioName = keyof typeof PAYOUT_SCENARIOS;

export function describePayoutScenario(name: PayoutScenarioName): PayoutScenarioDescription {
  return PAYOUT_SCENARIOS[name];
}
