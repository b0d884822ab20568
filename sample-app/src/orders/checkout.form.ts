import { PaymentsValidationError } from '@tillkit/payments';

/** The fields that a customer fills in. */
export interface CheckoutValues {
  readonly name: string;
  readonly phone: string;
}

/** What is wrong with each, in words for the customer. */
export type CheckoutProblems = Partial<Record<keyof CheckoutValues, string>>;

const MAX_NAME = 80;
const MAX_PHONE = 30;

export const PHONE_PROBLEM =
  'This is no phone number that we can ask. Write it like 0700\u00a0000\u00a0001 or +254\u00a0700\u00a0000\u00a0001.';

/** A field of a form, whatever was sent: a list, an object or nothing is an empty field. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** What the shop itself asks of the fields. Whether the phone number can be asked, the payments know. */
export function checkValues({ name, phone }: CheckoutValues): CheckoutProblems {
  return {
    ...(name === '' && { name: 'Please tell us your name, for the receipt.' }),
    ...(name.length > MAX_NAME && { name: `Please shorten it to ${MAX_NAME} characters.` }),
    // Line breaks and other controls have no place in a name, and some platforms choke on them.
    ...(/\p{Cc}/u.test(name) && { name: 'Please leave out the special characters.' }),
    ...checkPhone(phone),
  };
}

export function checkPhone(phone: string): CheckoutProblems {
  if (phone === '') return { phone: 'Please give the phone number to pay with.' };
  return phone.length > MAX_PHONE ? { phone: PHONE_PROBLEM } : {};
}

/** The problems that a customer can cure; null when there are others: then it is the shop that is wrong. */
export function customerProblems(error: PaymentsValidationError): CheckoutProblems | null {
  const found: CheckoutProblems = {};
  for (const { field } of error.problems) {
    if (field === 'subscriber.phoneNumber') found.phone = PHONE_PROBLEM;
    else if (field === 'subscriber.firstName' || field === 'subscriber.lastName') {
      found.name = 'Please write your name another way.';
    } else return null;
  }
  return found;
}

/** The platform wants a first and a last name; people have one field, and some have one name. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...rest] = name.split(/\s+/);
  return { firstName, lastName: rest.join(' ') || '-' };
}
