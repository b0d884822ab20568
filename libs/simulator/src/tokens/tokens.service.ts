import { randomBytes } from 'node:crypto';
import type { SimulatedClock } from '../clock/clock.service.js';
import { Refusal } from '../server/platform-answer.dto.js';

/** An access token that the platform issued. */
export interface IssuedToken {
  readonly value: string;
  /** The time is on the platform's clock, in milliseconds. */
  readonly createdAt: number;
  readonly expiresIn: number;
  /** The time is on the clock's timeline, which `skew` does not change. */
  readonly expiresAt: number;
  state: 'active' | 'revoked' | 'expired';
}

/** Older tokens are deleted; the platform then answers InvalidAccessToken instead of ExpiredAccessToken. */
const TOKENS_KEPT = 10_000;

/** Issues, checks and revokes the access tokens of one merchant. */
export class Tokens {
  private readonly issued = new Map<string, IssuedToken>();
  private latest: IssuedToken | undefined;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly lifetimeSeconds: number,
    private readonly singleToken: boolean,
    /** Every token begins with this text, which counts among its random characters. */
    private readonly prefix: string,
  ) {}

  issue(): IssuedToken {
    if (this.singleToken && this.latest) this.revoke(this.latest.value);
    const token: IssuedToken = {
      value: this.prefix + randomBytes(26).toString('base64url'),
      createdAt: this.clock.now(),
      expiresIn: this.lifetimeSeconds,
      expiresAt: this.clock.timeline() + this.lifetimeSeconds * 1_000,
      state: 'active',
    };
    this.issued.set(token.value, token);
    this.latest = token;
    if (this.issued.size > TOKENS_KEPT) this.issued.delete(this.issued.keys().next().value!);
    return token;
  }

  find(value: string): IssuedToken | undefined {
    const token = this.issued.get(value);
    if (token?.state === 'active' && this.clock.timeline() >= token.expiresAt)
      token.state = 'expired';
    return token;
  }

  /** Revokes a token. Nothing happens for an unknown one. */
  revoke(value: string): void {
    const token = this.issued.get(value);
    if (token) token.state = 'revoked';
  }

  /** Expires every token of the merchant now. */
  expireAll(): void {
    for (const token of this.issued.values()) if (token.state === 'active') token.state = 'expired';
  }

  remainingSeconds(token: IssuedToken): number {
    return Math.max(0, Math.floor((token.expiresAt - this.clock.timeline()) / 1_000));
  }

  /** Returns the valid token of an `Authorization` header. @throws Refusal 401. */
  authorise(header: string | undefined): IssuedToken {
    const value = bearerOf(header);
    const token = value === undefined ? undefined : this.find(value);
    if (token?.state === 'active') return token;
    throw unauthorised(token?.state === 'expired' ? 'ExpiredAccessToken' : 'InvalidAccessToken');
  }
}

/** Returns the token in an `Authorization` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer ([\w~+/.-]+=*)$/i.exec(header ?? '')?.[1];
}

export function unauthorised(reason: 'ExpiredAccessToken' | 'InvalidAccessToken'): Refusal {
  return new Refusal(401, reason, { 'www-authenticate': 'Bearer error="invalid_token"' });
}
