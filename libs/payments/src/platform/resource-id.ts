import { PaymentsValidationError } from '../payments.errors.js';
import { isIdentifier } from '../money/identifier.js';

/**
 * Checks an id and encodes it as a path segment.
 * @throws PaymentsValidationError for a text that could change the URL; nothing was sent
 */
export function resourceId(id: string): string {
  if (!isIdentifier(id)) {
    throw new PaymentsValidationError([
      { field: 'id', problem: 'must be 1 to 128 of A-Z a-z 0-9 _ -' },
    ]);
  }
  return encodeURIComponent(id);
}
