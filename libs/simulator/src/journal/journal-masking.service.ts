import type { JournalHeaders } from './journal-entry.js';

const MASK = '***';
const SECRET_HEADERS = /^(?:authorization|proxy-authorization|cookie|set-cookie)$/;
const SECRET_FORM_FIELDS = /((?:^|&)(?:client_secret|token)=)[^&]*/g;
const SECRET_JSON_FIELDS = /("(?:client_secret|access_token|token)"\s*:\s*)"(?:[^"\\]|\\.)*"/g;

/** The journal cuts longer bodies: a polling result may have many megabytes. */
const LONGEST_BODY = 64 * 1024;

/** Masks credentials in headers. A scheme such as `Bearer` stays readable. */
export function maskHeaders(headers: Readonly<Record<string, unknown>>): JournalHeaders {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || value === null) continue;
    const key = name.toLowerCase();
    const text = Array.isArray(value) ? value.join(', ') : String(value as string | number);
    masked[key] = SECRET_HEADERS.test(key) ? text.replace(/^(\w+ )?.*$/s, `$1${MASK}`) : text;
  }
  return masked;
}

/** Masks credentials in a body. */
export function maskBody(body: string): string {
  return body.replace(SECRET_FORM_FIELDS, `$1${MASK}`).replace(SECRET_JSON_FIELDS, `$1"${MASK}"`);
}

/** Returns the beginning of a body. It is a copy, so the whole body can be freed. */
export function excerpt(body: Buffer | string | null | undefined): string {
  if (!body) return '';
  if (body.length <= LONGEST_BODY) return body.toString();
  const kept = Buffer.from(body.slice(0, LONGEST_BODY) as string).toString();
  return `${kept}… (${body.length} in all)`;
}
