import { withoutPerson } from '../store/transaction-redaction.js';
import type { OperationChange } from './operation-changes.js';

/**
 * A change of a redacted operation, as it is written: evidence that comes after a redaction names the person again. It was decided on all that the
 * evidence says. What a person writes on a decision stays, until retention redacts it.
 */
export function withoutPersonsIn(change: OperationChange): OperationChange {
  const { set, tie, reversal } = change;
  const { transaction, errors, outcome } = set;
  return {
    ...change,
    set: {
      ...set,
      ...(transaction && { transaction: withoutPerson(transaction) }),
      ...(errors && { errors: [] }),
      ...(Array.isArray(outcome) && { outcome: outcome.map(withoutErrors) }),
    },
    ...(tie && { tie: withoutPerson(tie) }),
    ...(reversal && { reversal: withoutPerson(reversal) }),
  };
}

/** What became of one destination, without the texts of the platform. */
function withoutErrors(part: object): object {
  return { ...part, errors: [] };
}
