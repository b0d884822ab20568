import { rawBodyOf } from '@tillkit/payments/internal/routes';
import type { HttpRequest } from './http-request.dto.js';

const FORM = 'application/x-www-form-urlencoded';

/**
 * Reads the fields of a form from its bytes, else from the result of the host's body parser. A body of another media type has no fields.
 */
export function readForm(request: HttpRequest): URLSearchParams {
  const type = request.headers['content-type']?.toLowerCase() ?? '';
  if (!type.startsWith(FORM)) return new URLSearchParams();
  const raw = rawBodyOf(request);
  if (raw && 'bytes' in raw) return new URLSearchParams(raw.bytes.toString('utf8'));
  return parsedFields(request.body ?? {});
}

/** Parsers return an object, with an array for a repeated name. Some return the text or the bytes. */
function parsedFields(body: unknown): URLSearchParams {
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    return new URLSearchParams(body.toString());
  }
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(body as object) as [string, unknown][]) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof one === 'string') fields.append(name, one);
    }
  }
  return fields;
}
