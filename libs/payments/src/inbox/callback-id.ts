import type { CallbackResource } from '../work/callback-urls.js';
import { pathSegments } from '../money/identifier.js';

/** The id in a callback URL of ours: what follows `callbacks/<resource>`. */
export function idIn(callbackUrl: string | null, resource: CallbackResource): string | null {
  const segments = pathSegments(callbackUrl);
  const at = segments.lastIndexOf(resource);
  return segments[at - 1] === 'callbacks' ? (segments[at + 1] ?? null) : null;
}
