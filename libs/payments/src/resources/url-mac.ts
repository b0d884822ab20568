import { createHash } from 'node:crypto';

/** `/callbacks/<resource>/<id>/<mac>`, slashes perhaps escaped as JSON allows. */
const URL_WITH_MAC =
  /(callbacks\\?\/[a-z-]+\\?\/[A-Za-z0-9_-]{1,128}\\?\/|webhooks\\?\/)([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g;

/**
 * Replaces the MAC of each callback URL of ours in a text by its hash. The MAC is a secret, since
 * whoever knows it can post to us; its hash is not, and still tells whether it was the right one. What is kept, shown
 * or handed on is sealed first.
 */
export function sealUrlMacs(text: string): string {
  return text.replace(URL_WITH_MAC, (_, path: string, mac: string) => path + sealedMac(mac));
}

/** What stands for a MAC in a sealed text. Its first character is in no MAC, so that nothing is sealed twice. */
export function sealedMac(mac: string): string {
  return `~${createHash('sha256').update(mac).digest('base64url')}`;
}
