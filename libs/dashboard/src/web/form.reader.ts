import { DashboardProblem } from './dashboard.problem.js';
import type { PlatformRequest } from './platform.request.js';

/** Largest form taken, in bytes. */
const MAX_BYTES = 16 * 1024;

export type TakenBody = { bytes: Buffer } | { refused: 'too_large' };

const FORM = 'application/x-www-form-urlencoded';

/** Reads a stream to its end, and keeps it if it is small. */
export async function readBytes(stream: AsyncIterable<Buffer>): Promise<TakenBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  // What is too large is read to its end and thrown away, so that whoever sent it hears why.
  for await (const chunk of stream) {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > MAX_BYTES ? { refused: 'too_large' } : { bytes: Buffer.concat(chunks, size) };
}

/**
 * The fields of a form: what was taken before any parser, what a parser of the host made of it, or what is still to be
 * read. A body that is no form has no fields.
 * @throws DashboardProblem 413
 */
export async function readForm(
  request: PlatformRequest,
  taken: TakenBody | undefined,
): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.toLowerCase() ?? '';
  if (!type.startsWith(FORM)) return new URLSearchParams();
  if (taken) return fieldsOf(taken);
  if (request.body !== undefined && request.body !== null) return parsedFields(request.body);
  const stream = request as unknown as AsyncIterable<Buffer> & { readableEnded?: boolean };
  return stream.readableEnded ? new URLSearchParams() : fieldsOf(await readBytes(stream));
}

function fieldsOf(body: TakenBody): URLSearchParams {
  if ('refused' in body) {
    throw new DashboardProblem(413, 'That is too much', 'The form is larger than any form here.');
  }
  return new URLSearchParams(body.bytes.toString('utf8'));
}

/** Parsers make objects, with lists where a name comes twice; some keep the text or the bytes. */
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
