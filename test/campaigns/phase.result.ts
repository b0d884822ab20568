/** What became of the payments of one phase, one for each idempotency key. The last four must be 0. */
export interface PhaseResult {
  phase: string;
  asked: number;
  /** Keys whose last call did not end with an answer, and which nobody asked with again. */
  leftAlone: number;
  charged: number;
  succeeded: number;
  failed: number;
  review: number;
  /** Charged, or asked, without an event. */
  lost: number;
  /** Emitted twice under different event ids. */
  doubleEvents: number;
  /** Two charges for one key. */
  doubleCharges: number;
  /** Emitted as paid and not charged, emitted as failed and charged without a call for review, or charged after an error. */
  contradictions: number;
}

export function emptyResult(phase: string): PhaseResult {
  return {
    phase,
    asked: 0,
    leftAlone: 0,
    charged: 0,
    succeeded: 0,
    failed: 0,
    review: 0,
    lost: 0,
    doubleEvents: 0,
    doubleCharges: 0,
    contradictions: 0,
  };
}
