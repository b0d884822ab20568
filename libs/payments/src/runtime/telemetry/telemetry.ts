import { PaymentsError } from '../../payments.errors.js';
import { SafeLogger } from '../logging.js';
import { loadTelemetry } from './telemetry-library.cjs';

/** The API keeps under this name what an SDK has registered, in every copy of it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

export type TelemetryApi = ReturnType<typeof loadTelemetry>;

let api: TelemetryApi | null | undefined;

/**
 * Returns the API of OpenTelemetry. Undefined until an SDK has registered something: then nobody listens, and the 58 files of the API are not loaded.
 */
export function telemetryApi(): TelemetryApi | undefined {
  if (api === undefined && REGISTERED in globalThis) api = loaded();
  return api ?? undefined;
}

/** Null when a bundler has left the API out: a payment must work without spans. */
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

/** Names of classes, as code has them. */
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,63}$/;

/** Returns the value of `error.type` for an error: a code of ours, or the name of its class. Never its text. */
export function errorType(error: unknown): string {
  if (error instanceof PaymentsError) return error.code;
  const name = error instanceof Error ? error.name : '';
  return CLASS_NAME.test(name) ? name : '_OTHER';
}

/** `/api/<version>/<collection>/<id>/...`: the id is at this place. */
const PLACE_OF_ID = 4;

/** Returns the path of a request with `{id}` for its id: few different texts, and no identifier. */
export function urlTemplateOf(path: string): string {
  if (!path.startsWith('/api/')) return path;
  const segments = path.split('/');
  if (segments.length > PLACE_OF_ID) segments[PLACE_OF_ID] = '{id}';
  return segments.join('/');
}
