import { idsOf, type PersonIn } from '../../retention.store.js';
import { mentionsCustomer, mentionsOneOf } from '../../shared-rows.js';
import { isWithin } from '../memory.page.js';

/** Whether a row of a time mentions a person. */
export function mentions(person: PersonIn, at: Date, row: unknown): boolean {
  return isWithin(at, person.from, person.to) && mentionsCustomer(person, row);
}

/** The same for a delivery, which may also mention an operation of the person. */
export function deliveryMentions(person: PersonIn, at: Date, body: string): boolean {
  return (
    isWithin(at, person.from, person.to) &&
    (mentionsCustomer(person, body) || mentionsOneOf(idsOf(person), body))
  );
}
