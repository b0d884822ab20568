/** The resources whose results the platform posts back, in the platform's own words and in those of our paths. */
export const CALLBACK_RESOURCES = ['incoming-payments', 'polling', 'sms-notifications'] as const;
export type CallbackResource = (typeof CALLBACK_RESOURCES)[number];

/** What the id at the end of a callback URL of ours begins with when no payment stands behind it. */
export const BARE_PREFIX = 'bare-';
export const SWEEP_PREFIX = 'sweep-';

/** The URLs that we hand out to the platform. Implemented where the routes are. */
export abstract class CallbackUrls {
  /** URL for the result of one request, with the MAC when a URL secret is set. */
  abstract callback(resource: CallbackResource, id: string): string;

  /** URL for webhooks, with the MAC when a URL secret is set. */
  abstract webhook(): string;

  /**
   * Whether a callback URL that the platform repeats, its MAC sealed, is one that was handed out for this id.
   * @param isSigned whether the delivery that repeats it was verified by its signature, which vouches for the URL in its body
   */
  abstract isHandedOut(
    resource: CallbackResource,
    id: string,
    sealedUrl: string,
    isSigned: boolean,
  ): boolean;
}
