import { PaymentsValidationError } from '@tillkit/payments';

/** The problem of each field, for the customer. */
export interface CheckoutProblems {
  name?: string;
  phone?: string;
}

export const PHONE_PROBLEM =
  'This is not a valid phone number. Write it like 0700\u00a0000\u00a0001 or +254\u00a0700\u00a0000\u00a0001.';

const TICKET = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True when a text can be the random value that the shop writes into a form. */
export function isTicket(text: string): boolean {
  return TICKET.test(text);
}

const MAX_NAME = 80;
const MAX_PHONE = 30;

/** Returns the text of a form field; empty if the value is not a text. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

export function checkName(name: string): CheckoutProblems {
  if (name === '') return { name: 'Please give your name, for the receipt.' };
  if (name.length > MAX_NAME) return { name: `Please shorten it to ${MAX_NAME} characters.` };
  if (/\p{Cc}/u.test(name)) return { name: 'Please leave out the special characters.' };
  return {};
}

/** Checks only that there is a number of normal length: `@tillkit/payments` validates it. */
export function checkPhone(phone: string): CheckoutProblems {
  if (phone === '') return { phone: 'Please give the phone number to pay with.' };
  return phone.length > MAX_PHONE ? { phone: PHONE_PROBLEM } : {};
}

/** Returns the problems that the customer can correct; null for any other error. */
export function customerProblems(error: unknown): CheckoutProblems | null {
  if (!(error instanceof PaymentsValidationError)) return null;
  const problems: CheckoutProblems = {};
  for (const { field } of error.problems) {
    if (field === 'subscriber.phoneNumber') problems.phone = PHONE_PROBLEM;
    else if (field === 'subscriber.firstName' || field === 'subscriber.lastName') {
      problems.name = 'Please write your name another way.';
    } else return null;
  }
  return problems;
}

/** The platform requires a first and a last name. The form has one field, and some people have one name. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.split(/\s+/);
  return { firstName, lastName: rest.join(' ') || '-' };
}
