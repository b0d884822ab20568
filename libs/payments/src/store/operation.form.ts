import type { NewOperation } from './operation.js';

/**
 * Who may pay money that an operation expects at its till: the person with this `phoneHash`, or anybody. Null when it expects none.
 * While one person is asked for an amount at a till, a second operation for the same is refused.
 */
export type ExpectedPayer = { hash: string } | 'anybody' | null;

/** How stores keep what only one kind of operations has. */
export interface OperationForm<New extends NewOperation = NewOperation> {
  payer(operation: New): ExpectedPayer;
  /** The fields without personal data. */
  request(operation: New): object;
  /** The fields with personal data, which retention redacts. */
  personal(operation: New): object;
  /** What replaces the fields with personal data. */
  readonly withoutPersons: object;
}
