import type { IncomingHttpHeaders } from 'node:http';
import { parseAnswer } from '../../money/json.js';
import {
  type PlatformAnswer,
  type PlatformError,
  PlatformRateLimitedError,
  PlatformRedirectError,
  PlatformRejectedError,
  PlatformResponseError,
  PlatformUnauthorizedError,
  PlatformUnavailableError,
} from '../../platform.errors.js';

const MAX_MESSAGES = 10;
const MAX_MESSAGE_LENGTH = 300;

/** Maps an HTTP status of the platform to its error; null for 2xx. No other code does this. */
export function answerError(operation: string, response: PlatformResponse): PlatformError | null {
  const { status } = response;
  if (status >= 200 && status < 300) return null;
  const answer: PlatformAnswer = {
    operation,
    status,
    platformMessages: platformMessages(response.text),
  };
  if (status >= 300 && status < 400) return new PlatformRedirectError(answer);
  if (status === 401) return new PlatformUnauthorizedError(answer);
  if (status === 429) return new PlatformRateLimitedError(answer, retryAfterMs(response));
  if (status === 408 || status >= 500)
    return new PlatformUnavailableError(answer, retryAfterMs(response));
  return new PlatformRejectedError(answer);
}

/** @throws PlatformResponseError when a 2xx carries anything but a JSON object */
export function jsonObject(operation: string, response: PlatformResponse): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = parseAnswer(response.text);
  } catch {
    throw new PlatformResponseError(operation, response.status, 'its body is not JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new PlatformResponseError(operation, response.status, 'its body is not a JSON object.');
  }
  return parsed as Record<string, unknown>;
}

/** Returns the milliseconds from `Retry-After`, given in seconds or as a date of the platform's clock; null when it is absent or unreadable. */
export function retryAfterMs({
  retryAfter,
  date,
}: Pick<PlatformResponse, 'retryAfter' | 'date'>): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter) * 1000;
  const at = Date.parse(retryAfter);
  const now = Date.parse(date ?? '') || Date.now();
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** The fields in which the error objects of several frameworks have their text. */
const TEXT_FIELDS = ['error_message', 'errorMessage', 'message', 'detail', 'title'] as const;

/** A text may be so deep: `{"errors":{"amount":["…"]}}`, `{"errors":[{"detail":"…"}]}`. */
const DEEPEST_TEXT = 3;

/**
 * Returns the platform's error messages: `error_message`, `errorMessage`, `message` or `errors` (a text, a list, texts by field, or objects), and
 * OAuth's `error` and `error_description`.
 */
function platformMessages(text: string): string[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  const { error_message, errorMessage, message, errors, error, error_description } = (body ??
    {}) as Record<string, unknown>;
  return [error_message, errorMessage, message, errors, error, error_description]
    .flatMap((value) => textsIn(value, DEEPEST_TEXT))
    .slice(0, MAX_MESSAGES)
    .map((each) => each.slice(0, MAX_MESSAGE_LENGTH));
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  if (Array.isArray(value))
    return value.slice(0, MAX_MESSAGES).flatMap((each) => textsIn(each, depth - 1));
  const fields = value as Record<string, unknown>;
  const named = TEXT_FIELDS.filter((name) => typeof fields[name] === 'string');
  if (named.length > 0) return [fields[named[0] as string] as string];
  return Object.entries(fields)
    .slice(0, MAX_MESSAGES)
    .flatMap(([field, each]) => textsIn(each, depth - 1).map((one) => `${field}: ${one}`));
}

/** One request to the platform. We build the path from ids; we never follow a URL that the platform sends. */
export interface PlatformRequest {
  /** Name of the call, for errors and logs: `create incoming payment`. */
  operation: string;
  method: 'GET' | 'POST';
  path: string;
  body?: { type: 'application/json' | 'application/x-www-form-urlencoded'; text: string };
  accessToken?: string;
  /** True when it may be sent again: then shutdown aborts it instead of waiting for it. It is never true for a create. */
  repeatable?: boolean;
  timeoutMs: number;
  maxBytes?: number;
}

/** An answer of the platform with any status; `answerError` checks it. */
export interface PlatformResponse {
  status: number;
  location: string | null;
  retryAfter: string | null;
  /** The time of the answer, by the platform's own clock. */
  date: string | null;
  text: string;
  /** All headers, where a real answer came. */
  headers?: IncomingHttpHeaders;
}
