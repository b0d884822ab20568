/** The outcomes of one phase, counted by idempotency key. The last four numbers must be 0. */
export interface PhaseResult {
  phase: string;
  asked: number;
  /** Keys whose last call had no answer, and which no host used again. */
  leftAlone: number;
  charged: number;
  succeeded: number;
  failed: number;
  review: number;
  /** Recorded payments, charges or transactions without an event. */
  lost: number;
  /** Events emitted twice, with different event ids. */
  doubleEvents: number;
  /** Second charges for one key. */
  doubleCharges: number;
  /** Payments that succeeded without a charge, that failed with a charge and without a review, or that were sent after an error. */
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
