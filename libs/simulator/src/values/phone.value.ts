import { createHash } from 'node:crypto';
import { InvalidInputError } from '../simulator.errors.js';

/** International format with +. */
export function isPhoneNumber(value: unknown): boolean {
  return typeof value === 'string' && /^\+[1-9]\d{6,14}$/.test(value);
}

/** @throws InvalidInputError */
export function requirePhoneNumber(value: string): void {
  if (!isPhoneNumber(value)) {
    throw new InvalidInputError(
      `"${value}" is no phone number: write it with +, as in +254700000001.`,
    );
  }
}

/** What a webhook calls `hashed_sender_phone`: sha256 of the digits without +. */
export function hashedPhone(phone: string): string {
  return createHash('sha256').update(phone.slice(1)).digest('hex');
}
