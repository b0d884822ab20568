/**
 * A package with pages of its own needs these: forms with bodies that are limited in size and time, texts without phone numbers, what a
 * stored delivery or the history of a decision says, and what can be the name of an account. Applications do not need them.
 */
export { type Message as DeliveryMessage, parseDelivery } from '../inbox/delivery-parser.js';
export { readResource } from '../platform/resource-table.js';
export { INCOMING_PAYMENT } from '../platform/resources/incoming-payments.service.js';
export { rawBodyOf, type RawBody } from '../door/raw-body.js';
export {
  type DeliveryRouteMark,
  type FormRouteMark,
  RawRoute,
  type RawRouteMark,
} from '../door/delivery-route.js';
export { decisionNote } from '../ledger/resolution.js';
export { type BaseWithSource, sourceProblem, type WithSource } from '../runtime/async-options.js';
export { SafeLogger } from '../runtime/logging.js';
export { canonicalValue, fromMinorUnits, toMinorUnits } from '../money/money.js';
export { isAccountName } from '../accounts/payments.settings.js';
export { beginningFor, maskKey, maskPhones } from '../money/phone-mask.js';
