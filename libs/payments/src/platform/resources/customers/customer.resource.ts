import { isPhoneNumber } from '../../../money/phone-number.js';
import { wireName, wireText, wireTextOf, type WireObject } from '../../wire-value.js';

/** The name of the collection in the URL of a customer. */
export const CUSTOMERS = 'mobile_money_user';

/**
 * A customer who paid the company for the first time. A field that the platform did not send is null.
 * @see docs/conformance.md#customers
 * @publicApi
 */
export interface Customer {
  /** The platform's id of the customer. */
  id: string | null;
  firstName: string | null;
  middleName: string | null;
  lastName: string | null;
  phoneNumber: string | null;
  /** The customer as the platform sent it. */
  raw: Record<string, unknown>;
}

/** @param linkedId the id in the customer's URL: a webhook shows it nowhere else */
export function readCustomer(raw: WireObject, linkedId: string | null): Customer {
  const phone = wireTextOf(raw, 'phone_number', 'msisdn');
  return {
    id: wireName(raw['id']) ?? linkedId,
    firstName: wireText(raw['first_name']),
    middleName: wireText(raw['middle_name']),
    lastName: wireText(raw['last_name']),
    phoneNumber: phone !== null && isPhoneNumber(phone) ? phone : null,
    raw,
  };
}
