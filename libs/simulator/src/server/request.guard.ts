import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './platform-answer.dto.js';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PRODUCT = `${TOKEN}/${TOKEN}`;
const COMMENT = String.raw`\([^()]+\)`;
const USER_AGENT = new RegExp(`^${PRODUCT}(?: (?:${PRODUCT}|${COMMENT}))*$`);

/** True for the form `<product>/<product-version> <comment>`. More products may follow the first. */
export function isUserAgent(value: string | undefined): boolean {
  return value !== undefined && value.includes('(') && USER_AGENT.test(value);
}

/** Checks `User-Agent` and `Accept`, which every call of the API must have. @throws Refusal 400 or 406 */
export function checkHeaders(headers: IncomingHttpHeaders): void {
  if (!isUserAgent(headers['user-agent'])) {
    throw new Refusal(
      400,
      'The User-Agent header must have the form <product>/<product-version> (<comment>)',
    );
  }
  const accepted = (headers.accept ?? '')
    .split(',')
    .map((range) => range.split(';', 1)[0]!.trim().toLowerCase());
  if (!accepted.includes('application/json'))
    throw new Refusal(406, 'The Accept header must be application/json');
}

/** Returns the media type of a `Content-Type` header, without its parameters. */
export function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/** Parses the JSON body of a create. @throws Refusal 415 or 400 */
export function readJsonBody(headers: IncomingHttpHeaders, body: Buffer | null): unknown {
  if (mediaType(headers) !== 'application/json')
    throw new Refusal(415, 'The Content-Type header must be application/json');
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body ?? new Uint8Array()),
    );
  } catch {
    throw new Refusal(400, 'The body is not JSON');
  }
}
