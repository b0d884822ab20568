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

/** The URLs that we give to the platform. `deliveries/` implements it, because it has the routes. */
export abstract class CallbackUrls {
  /** URL for the result of one request. It has a MAC when a URL secret is set. */
  abstract callback(account: string, resource: CallbackResource, id: string): string;

  /** URL of the routes of an account, before `webhooks` and `callbacks`. */
  abstract root(account: string): string;

  /** URL for webhooks. It has a MAC when a URL secret is set. */
  abstract webhook(account: string): string;

  /**
   * Whether a callback URL that the platform repeats is one that we gave for this id.
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
