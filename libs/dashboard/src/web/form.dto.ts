import type { HttpRequest } from './http-request.dto.js';
import { PageError } from './page.errors.js';

/** The maximum size of a form, in bytes. */
const MAX_BYTES = 16 * 1024;

const FORM = 'application/x-www-form-urlencoded';

export type CapturedBody = { bytes: Buffer } | { refused: 'too_large' };

/** Reads a stream to its end and keeps the bytes if they are within the limit. */
export async function readBytes(stream: AsyncIterable<Buffer>): Promise<CapturedBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  // We read a body that is too large to its end: otherwise the client would not receive the response.
  for await (const chunk of stream) {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > MAX_BYTES ? { refused: 'too_large' } : { bytes: Buffer.concat(chunks, size) };
}

/**
 * Reads the fields of a form: from the captured body, else from the body that a parser of the host has parsed, else from the
 * stream. A body of another media type has no fields.
 * @throws PageError 413
 */
export async function readForm(
  request: HttpRequest,
  captured: CapturedBody | undefined,
): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.toLowerCase() ?? '';
  if (!type.startsWith(FORM)) return new URLSearchParams();
  if (captured) return fieldsOf(captured);
  if (request.body !== undefined && request.body !== null) return parsedFields(request.body);
  const stream = request as unknown as AsyncIterable<Buffer> & { readableEnded?: boolean };
  return stream.readableEnded ? new URLSearchParams() : fieldsOf(await readBytes(stream));
}

function fieldsOf(body: CapturedBody): URLSearchParams {
  if ('refused' in body) {
    throw new PageError(
      413,
      'The form is too large',
      `A form has at most ${MAX_BYTES} bytes. Shorten its fields and send it again.`,
    );
  }
  return new URLSearchParams(body.bytes.toString('utf8'));
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
