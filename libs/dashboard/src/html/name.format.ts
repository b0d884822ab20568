import { maskPhones } from '@tillkit/payments/internal/routes';

/**
 * Returns the parts of a name, joined. Parts without a letter or digit are left out: the platform requires a last name, so hosts write `-` or `.` for
 * people with one name.
 */
export function fullName(parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => /[\p{L}\p{N}]/u.test(part ?? '')).join(' ');
}

/**
 * Does the same as {@link fullName}, without phone numbers. People write theirs into every field of a form, and hosts put one in the place of a name.
 */
export function maskedName(parts: readonly (string | null | undefined)[]): string {
  return maskPhones(fullName(parts));
}
