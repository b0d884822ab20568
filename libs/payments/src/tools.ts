/** What programs beside an application need, such as the `tillkit` command. Applications do not need it. */
export { explainMismatch, type SignatureSecrets } from './deliveries/mismatch.diagnosis.js';
export { SIGNATURE_HEADER, verifySignature } from './deliveries/signature.js';
export { misspeltVariables, type ReadVariable } from './environment.variables.js';
export { toPayment } from './operations/payments/payment.js';
export { DEFAULT_ACCOUNT, DEFAULT_PATH } from './payments.defaults.js';
export type { PaymentsSettings } from './payments.settings.js';
export { CALLBACK_RESOURCES, type CallbackResource } from './resources/callback-urls.js';
export { sealUrlMacs } from './resources/url-mac.sealing.js';
export { LISTENER_WORK } from './runtime/backoff.js';
export { resolveAddedSettings, resolveSettings } from './settings.reader.js';
export { memoryRisk, startWarnings, UNUSED_DATABASE, type StartRisk } from './start.risks.js';
export { validateInput } from './resources/validate-input.js';
export { isLoopback, secureUrlProblem } from './values/secure-url.js';
