import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { MOMENT, type SimulatedClock } from '../clock/clock.service.js';
import { InvalidInputError } from '../simulator.errors.js';
import { Tills } from '../tills/tills.service.js';
import { requireNumber } from '../values/number-range.js';
import { requireShortText } from '../values/short-text.js';
import { randomApiKey, randomSecret, type MerchantSettings } from './merchant.options.js';

/** The first characters of a token, in this number, name its merchant. */
export const TOKEN_PREFIX_LENGTH = 8;

/** An API key that signs from a later moment on. */
export interface NextApiKey {
  readonly apiKey: string;
  /** ISO 8601, on the simulator's clock. */
  readonly at: string;
}

/**
 * One merchant of the platform: a company with one application, its credentials and its tills.
 *
 * @publicApi
 */
export class SimulatedMerchant {
  readonly name: string;
  /** The application key. */
  readonly clientId: string;
  /** Every token of the merchant begins with this text, which leads from a request to the merchant. @internal */
  readonly tokenPrefix = randomBytes(6).toString('base64url');
  /** @internal */
  readonly tills: Tills;
  private secrets: readonly string[];
  private signingKey: string;
  private next: (NextApiKey & { readonly dueAt: number }) | null = null;

  constructor(
    settings: MerchantSettings,
    private readonly clock: Pick<SimulatedClock, 'now' | 'timeline'>,
  ) {
    this.name = settings.name;
    this.clientId = settings.clientId;
    this.secrets = [settings.clientSecret];
    this.signingKey = settings.apiKey;
    this.tills = new Tills(settings.tillNumbers, settings.tillAliases);
  }

  /** The newest application secret. */
  get clientSecret(): string {
    return this.secrets[0]!;
  }

  /** Every application secret that is valid, the newest first. */
  get clientSecrets(): readonly string[] {
    return this.secrets;
  }

  /** The key that signs deliveries now. */
  get apiKey(): string {
    if (this.next && this.clock.timeline() >= this.next.dueAt) {
      this.signingKey = this.next.apiKey;
      this.next = null;
    }
    return this.signingKey;
  }

  /** The key that {@link rotateApiKey} has set for a later moment; null when there is none. */
  get nextApiKey(): NextApiKey | null {
    // The read applies a switch that is due.
    void this.apiKey;
    return this.next && { apiKey: this.next.apiKey, at: this.next.at };
  }

  /** The numbers of the tills and online payment accounts, with those of aliases. */
  get tillNumbers(): readonly string[] {
    return this.tills.numbers();
  }

  /** True for a valid application secret. @internal */
  hasSecret(given: string): boolean {
    return this.secrets.some((secret) => isSame(given, secret));
  }

  /**
   * Adds an application secret. The old ones stay valid until {@link dropOldSecrets}.
   *
   * @param clientSecret the new secret. @default random
   * @returns the new secret
   * @throws InvalidInputError
   */
  rotateSecret(clientSecret: string = randomSecret()): string {
    requireFilled('clientSecret', clientSecret);
    this.secrets = [clientSecret, ...this.secrets.filter((secret) => secret !== clientSecret)];
    return clientSecret;
  }

  /** Leaves only the newest application secret valid. Tokens that an old one got stay valid. */
  dropOldSecrets(): void {
    this.secrets = [this.clientSecret];
  }

  /**
   * Sets the key that signs deliveries. It replaces a key that waits for its moment.
   *
   * Each attempt is signed with the key of its own time: after the switch, the repetition of an older delivery has the new key.
   *
   * @param key.apiKey the new key. @default random
   * @param key.at the moment of the switch on the simulator's clock, in milliseconds since 1970. @default now
   * @returns the new key
   * @throws InvalidInputError
   */
  rotateApiKey(key: { apiKey?: string; at?: Date | number } = {}): string {
    const { apiKey = randomApiKey(), at } = key;
    requireFilled('apiKey', apiKey);
    const moment = at === undefined ? null : requireNumber('at', Number(at), MOMENT);
    const now = this.clock.now();
    if (moment === null || moment <= now) {
      this.signingKey = apiKey;
      this.next = null;
      return apiKey;
    }
    // We read the key because a switch may be due. The key that is due signs until the new moment, even if nobody has read it.
    void this.apiKey;
    this.next = {
      apiKey,
      at: new Date(moment).toISOString(),
      // The time is on the timeline, because `skew` makes nothing due.
      dueAt: this.clock.timeline() + moment - now,
    };
    return apiKey;
  }
}

function requireFilled(field: string, value: unknown): void {
  if (requireShortText(field, value) === '')
    throw new InvalidInputError(`${field} must not be empty.`);
}

function isSame(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
