import { SafeLogger } from '../safe-logger.js';
import { loadTelemetry } from './telemetry-library.cjs';

/** Where the API keeps what an SDK has registered, in every copy of it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

export type TelemetryApi = ReturnType<typeof loadTelemetry>;

let api: TelemetryApi | null | undefined;

/**
 * The API of OpenTelemetry. Undefined until an SDK has registered something: then nobody listens, and the 58 files of the API are not
 * loaded.
 */
export function telemetryApi(): TelemetryApi | undefined {
  if (api === undefined && REGISTERED in globalThis) api = loaded();
  return api ?? undefined;
}

/** Null where a bundler has left the API out: no span is worth a payment. */
function loaded(): TelemetryApi | null {
  try {
    return loadTelemetry();
  } catch (error) {
    new SafeLogger().warn(
      `@opentelemetry/api cannot be loaded, so there are no spans and metrics: ${String(error)}`,
    );
    return null;
  }
}
