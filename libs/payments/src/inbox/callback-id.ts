import type { CallbackResource, CallbackUrls } from '../platform/callback-urls.js';
import { pathSegments } from '../money/values.js';

/** Returns the id in a callback URL of ours: what follows `callbacks/<resource>`. */
export function idIn(callbackUrl: string | null, resource: CallbackResource): string | null {
  const segments = pathSegments(callbackUrl);
  const at = segments.lastIndexOf(resource);
  return segments[at - 1] === 'callbacks' ? (segments[at + 1] ?? null) : null;
}

/** Returns the id in a callback URL that this account has handed out; null when it has not. */
export function handedOutId(
  urls: CallbackUrls,
  account: string,
  resource: CallbackResource,
  callbackUrl: string | null,
  isSigned: boolean,
): string | null {
  const id = idIn(callbackUrl, resource);
  if (id === null || callbackUrl === null) return null;
  return urls.isHandedOut(account, resource, id, callbackUrl, isSigned) ? id : null;
}
