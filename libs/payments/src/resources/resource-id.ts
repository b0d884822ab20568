import { PaymentsValidationError } from '../payments.errors.js';
import { isIdentifier } from '../values/identifier.js';

/**
 * An id as a path segment.
 * @throws PaymentsValidationError for anything that could change the URL: nothing is sent
 */
export function resourceId(id: string): string {
  if (!isIdentifier(id)) {
    throw new PaymentsValidationError([
      { field: 'id', problem: 'must be 1 to 128 of A-Z a-z 0-9 _ -' },
    ]);
  }
  return encodeURIComponent(id);
}
