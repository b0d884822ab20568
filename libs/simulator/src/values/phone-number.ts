import { createHash } from 'node:crypto';
import { InvalidInputError } from '../simulator.errors.js';

/** True for a phone number in international format with +. */
export function isPhoneNumber(value: unknown): boolean {
  return typeof value === 'string' && /^\+[1-9]\d{6,14}$/.test(value);
}

/** @throws InvalidInputError */
export function requirePhoneNumber(value: string): void {
  if (!isPhoneNumber(value)) {
    throw new InvalidInputError(
      `"${value}" is not a phone number. Write it with + and the country code, as in +254700000001.`,
    );
  }
}

/** Returns the `hashed_sender_phone` of a webhook: sha256 of the digits without +. */
export function hashedPhone(phone: string): string {
  return createHash('sha256').update(phone.slice(1)).digest('hex');
}
