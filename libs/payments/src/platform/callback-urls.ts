import { hash } from 'node:crypto';

/** The resources whose results the platform posts to a callback URL, as they are named in our paths. */
export const CALLBACK_RESOURCES = [
  'incoming-payments',
  'polling',
  'sms-notifications',
  'send-money',
  'reversals',
  'payment-links',
  'settlement-transfers',
  'pay',
] as const;
export type CallbackResource = (typeof CALLBACK_RESOURCES)[number];

/** Prefixes of the id in our callback URLs: a bare request of the host, and a sweep of ours. The id of a payment has none. */
export const BARE_PREFIX = 'bare-';
export const SWEEP_PREFIX = 'sweep-';

/** The URLs that we give to the platform. `door/` implements it, because it has the routes. */
export abstract class CallbackUrls {
  /** Returns the URL for the result of one request. It has a MAC when a URL secret is set. */
  abstract callback(account: string, resource: CallbackResource, id: string): string;

  /** Returns the URL of the routes of an account, before `webhooks` and `callbacks`. */
  abstract root(account: string): string;

  /** Returns the URL for webhooks. It has a MAC when a URL secret is set. */
  abstract webhook(account: string): string;

  /**
   * True when a callback URL that the platform repeats is one that we gave for this id.
   * @param sealedUrl the URL with its MAC sealed; see `sealUrlMacs`
   * @param isSigned whether the delivery that repeats the URL has a valid signature, which covers the URL in its body
   */
  abstract isHandedOut(
    account: string,
    resource: CallbackResource,
    id: string,
    sealedUrl: string,
    isSigned: boolean,
  ): boolean;
}

/** `/callbacks/<resource>/<id>/<mac>` or `/webhooks/<mac>`; JSON may escape the slashes. */
const URL_WITH_MAC =
  /(callbacks\\?\/[a-z-]+\\?\/[A-Za-z0-9_-]{1,128}\\?\/|webhooks\\?\/)([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g;

/** An escape of a character may begin at one of these texts. */
const ESCAPE_HERE = /\\u|%/gi;

/** An ASCII character as an escape of JSON or of a URL; an escaped backslash is none. */
const ESCAPED = /\\\\|(?:\\u00|%)([2-7][0-9a-f])/gi;

/** An escape may be written with escapes so many times: `\\u002525…` in JSON, in a URL, in a URL. */
const MOST_LEVELS = 4;

/** An escape that ends or continues a JSON string when it is decoded: `"` and `\`. */
const NEVER_DECODED = /^(?:22|5c)$/i;

/**
 * Seals a text: replaces the MAC of each of our URLs in it by the MAC's hash. The MAC is a secret, because it allows posting to us. The
 * hash is no secret, and still shows whether the MAC was right. We seal a text before we store it, show it or pass it to a host. A URL
 * whose characters are written as escapes is sealed too, and written without them.
 */
export function sealUrlMacs(text: string): string {
  return sealPlain(sealEscaped(text));
}

/**
 * Seals what is written with escapes. It looks only at what stands between two quotes with an escape between them, because a body may have a
 * hundred thousand texts, and no URL has a quote.
 */
function sealEscaped(text: string): string {
  const escapes = new RegExp(ESCAPE_HERE);
  let written = '';
  let from = 0;
  for (let found = escapes.exec(text); found; found = escapes.exec(text)) {
    const start = text.lastIndexOf('"', found.index) + 1;
    const end = text.indexOf('"', found.index);
    escapes.lastIndex = end === -1 ? text.length : end;
    const piece = text.slice(start, escapes.lastIndex);
    const plain = decoded(piece);
    const sealed = sealPlain(plain);
    if (sealed === plain) continue;
    written += text.slice(from, start) + sealed;
    from = escapes.lastIndex;
  }
  return written + text.slice(from);
}

function sealPlain(text: string): string {
  return text.replace(URL_WITH_MAC, (_, path: string, mac: string) => path + sealedMac(mac));
}

/** Returns a text without escapes of ASCII characters, also where one escape is written with another. */
function decoded(text: string): string {
  let plain = text;
  for (let level = 0; level < MOST_LEVELS; level += 1) plain = plain.replace(ESCAPED, characterOf);
  return plain;
}

function characterOf(escape: string, hex: string | undefined): string {
  if (hex === undefined || NEVER_DECODED.test(hex)) return escape;
  return String.fromCharCode(parseInt(hex, 16));
}

/** Returns the hash of a MAC in a sealed text. It begins with `~`, which no MAC contains, so that sealing twice changes nothing. */
export function sealedMac(mac: string): string {
  return `~${hash('sha256', mac, 'base64url')}`;
}
