import { isPhoneNumber } from '../../money/phone-number.js';
import { type Fields, name, readFields, type ShownFields, text, whole } from '../resource-table.js';
import { type WireObject, wireTextOf } from '../wire-value.js';

/** The name of the collection in the URL of a customer. */
export const CUSTOMERS = 'mobile_money_user';

/** @param linkedId the id in the customer's URL: a webhook shows it nowhere else */
export function readCustomer(raw: WireObject, linkedId: string | null): Customer {
  const customer = readFields(CUSTOMER_FIELDS, raw);
  return { ...customer, id: customer.id ?? linkedId };
}

const CUSTOMER_FIELDS = {
  /** The platform's id of the customer. */
  id: name,
  firstName: text,
  middleName: text,
  lastName: text,
  phoneNumber: (wire): string | null => {
    const phone = wireTextOf(wire, 'phone_number', 'msisdn');
    return phone !== null && isPhoneNumber(phone) ? phone : null;
  },
  /** The customer as the platform sent it. */
  raw: whole,
} satisfies Fields;

/**
 * A customer who paid the company for the first time. A field that the platform did not send is null.
 * @see docs/conformance.md#customers
 * @publicApi
 */
export interface Customer extends ShownFields<typeof CUSTOMER_FIELDS> {}
