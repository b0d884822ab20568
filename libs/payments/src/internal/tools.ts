/** Programs beside an application need these, such as the `tillkit` command. Applications do not need them. */
export { explainMismatch, type SignatureSecrets } from '../door/refusals.js';
export { SIGNATURE_HEADER, verifySignature } from '../door/signature.js';
export { misspeltVariables, pathOf, type ReadVariable } from '../accounts/environment-variables.js';
export { toPayment } from '../operations/payments/payment.js';
export { DEFAULT_ACCOUNT } from '../payments-defaults.js';
export type { PaymentsSettings } from '../accounts/payments.settings.js';
export {
  CALLBACK_RESOURCES,
  type CallbackResource,
  sealUrlMacs,
} from '../platform/callback-urls.js';
export { LISTENER_MISSING_AFTER_MS } from '../listeners/local-listeners.js';
export { resolveAddedSettings, resolveSettings } from '../accounts/settings.reader.js';
export {
  memoryRisk,
  startWarnings,
  UNUSED_DATABASE,
  type StartRisk,
} from '../accounts/start-risks.js';
export { validateInput } from '../runtime/validate-input.js';
export { isLoopback, rawTextProblem, secureUrlProblem } from '../money/values.js';
