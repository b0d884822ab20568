import { loadTelemetry } from './telemetry-library.cjs';

/** Where the API keeps what an SDK has registered, in every copy of it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

export type TelemetryApi = ReturnType<typeof loadTelemetry>;

let api: TelemetryApi | undefined;

/**
 * The API of OpenTelemetry. Undefined until an SDK has registered something: then nobody listens, and the 58 files of the API are not
 * loaded.
 */
export function telemetryApi(): TelemetryApi | undefined {
  if (!api && REGISTERED in globalThis) api = loadTelemetry();
  return api;
}
