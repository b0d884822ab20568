import { createHash } from 'node:crypto';

/** `/callbacks/<resource>/<id>/<mac>` or `/webhooks/<mac>`; JSON may escape the slashes. */
const URL_WITH_MAC =
  /(callbacks\\?\/[a-z-]+\\?\/[A-Za-z0-9_-]{1,128}\\?\/|webhooks\\?\/)([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g;

/**
 * Seals a text: replaces the MAC of each of our URLs in it by the MAC's hash. The MAC is a secret: it allows posting to us. The
 * hash is none, and still shows whether the MAC was right. A text is sealed before we store it, show it or pass it to a host.
 */
export function sealUrlMacs(text: string): string {
  return text.replace(URL_WITH_MAC, (_, path: string, mac: string) => path + sealedMac(mac));
}

/** The hash of a MAC in a sealed text. It begins with `~`, which no MAC contains, so that sealing twice changes nothing. */
export function sealedMac(mac: string): string {
  return `~${createHash('sha256').update(mac).digest('base64url')}`;
}
