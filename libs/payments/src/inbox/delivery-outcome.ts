/** The outcome of processing a stored delivery. `Refusal` is the other result: of verification, before a delivery is stored. */
export type DeliveryOutcome =
  /**
   * It was applied, or it says nothing new. `isFinished`: the commit has finished it. `isDeleted`: it is about what was redacted, so it is deleted
   * now that it is processed.
   */
  | { kind: 'applied'; note?: string; isFinished?: boolean; isDeleted?: boolean }
  /** This version does not know its topic, type or shape. */
  | { kind: 'unrecognised'; why: string }
  /** It names no operation or request, or the platform does not list its transaction yet: it is retried for a while. */
  | { kind: 'unmatched'; why: string }
  /** Its event waits for the outcome of an operation: it is retried after `inMs` milliseconds. */
  | { kind: 'wait'; inMs: number; why: string };

export const APPLIED: DeliveryOutcome = { kind: 'applied' };

/** The delivery was applied to something whose personal data was redacted. */
export const APPLIED_AND_DELETED: DeliveryOutcome = { kind: 'applied', isDeleted: true };

export const UNMATCHED: DeliveryOutcome = {
  kind: 'unmatched',
  why: 'it names no operation or request of this account',
};
