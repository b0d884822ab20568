/** What programs beside an application need, such as the `tillkit` command. Applications do not need it. */
export { explainMismatch, type SignatureSecrets } from '../door/mismatch-diagnosis.js';
export { SIGNATURE_HEADER, verifySignature } from '../door/signature.js';
export { misspeltVariables, type ReadVariable } from '../accounts/environment-variables.js';
export { toPayment } from '../operations/payments/payment.js';
export { DEFAULT_ACCOUNT, DEFAULT_PATH } from '../payments-defaults.js';
export type { PaymentsSettings } from '../work/payments.settings.js';
export { CALLBACK_RESOURCES, type CallbackResource } from '../work/callback-urls.js';
export { sealUrlMacs } from '../work/url-mac-sealing.js';
export { LISTENER_WORK } from '../work/backoff.js';
export { resolveAddedSettings, resolveSettings } from '../accounts/settings.reader.js';
export {
  memoryRisk,
  startWarnings,
  UNUSED_DATABASE,
  type StartRisk,
} from '../accounts/start-risks.js';
export { validateInput } from '../work/validate-input.js';
export { isLoopback, secureUrlProblem } from '../money/secure-url.js';
