import type { SimulatorTimings } from '../simulator.options.js';
import {
  describePayoutScenario,
  INSUFFICIENT_BALANCE,
  type PayoutScenarioName,
} from './payout-scenarios.constants.js';

/** Money that was sent and can end in several ways. Each function says whether the resource changed. */
export interface SentMoney {
  readonly scenario: PayoutScenarioName;
  readonly isReserved: boolean;
  pay: () => boolean;
  cancel: (error: string) => boolean;
  takeBack: () => boolean;
}

/**
 * Lets sent money end as its scenario says.
 *
 * @param later makes a change after a delay, and delivers it
 * @returns whether the resource changed at once
 */
export function endAsScenario(
  { scenario, isReserved, pay, cancel, takeBack }: SentMoney,
  timings: SimulatorTimings,
  later: (delayMs: number, change: () => boolean) => void,
): boolean {
  const { outcome, isSlow, isContradicted, error } = describePayoutScenario(scenario);
  if (!isReserved) return cancel(INSUFFICIENT_BALANCE);
  if (isSlow) {
    later(timings.slowDisbursement, pay);
    return false;
  }
  switch (outcome) {
    case 'open':
      return false;
    case 'cancelled':
      if (isContradicted) later(timings.afterwards, pay);
      return cancel(error!);
    case 'transferred':
      if (isContradicted) later(timings.afterwards, takeBack);
      return pay();
  }
}
