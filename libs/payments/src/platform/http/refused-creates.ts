import { Injectable } from '@nestjs/common';
import { PlatformUnauthorizedError } from '../../platform.errors.js';
import { Runtime, SECOND } from '../../runtime/clock.js';
import { doubled } from '../../runtime/retry.js';
import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import type { CreateOutcome } from '../sending.js';
import { GET_TOKEN } from '../tokens/token-renewal.js';
import { applicationOf } from '../tokens/token-vault.js';

/** After a 401 to a create with a new token, the next create of its application and resource is sent so much later. */
const LATER = { firstMs: SECOND, longestMs: 60 * SECOND } as const;

/** While one create is on its way, the others look again so much later. */
const TRIED_MS = 100;

/** Longest wait until creates that were held look again: one may have been accepted. */
export const LOOK_AGAIN_MS = SECOND;

/** Creates of one resource that the platform refuses to one application. */
interface Refused {
  readonly error: PlatformUnauthorizedError;
  readonly times: number;
  readonly until: number;
  /** True when one is on its way to find out if creates are accepted again. */
  isTried: boolean;
}

/**
 * Creates that the platform refuses with a 401 although their token is new. The refusal is about the application, which lacks a permission,
 * or whose secret was revoked. Instead of each create asking again and again, all of them wait, and one tries after growing times.
 */
@Injectable()
export class RefusedCreates {
  private readonly refused = new Map<string, Refused>();

  constructor(private readonly runtime: Runtime) {}

  /**
   * Says why creates of a resource are refused, and for how many milliseconds none is sent; null when they are not refused, or when one may
   * try.
   */
  refusal(
    settings: PaymentsSettings,
    path: string,
  ): { error: PlatformUnauthorizedError; heldMs: number } | null {
    const refused = this.find(settings, path);
    const heldMs = refused ? this.heldMs(refused) : 0;
    return refused && heldMs > 0 ? { error: refused.error, heldMs } : null;
  }

  /**
   * Sends a create, unless they are refused.
   * @returns `heldMs`: so long none is sent; null when it may be repeated as its outcome says
   */
  async attempt(
    settings: PaymentsSettings,
    path: string,
    send: () => Promise<CreateOutcome>,
  ): Promise<{ outcome: CreateOutcome; heldMs: number | null; wasTried: boolean }> {
    const held = this.refusal(settings, path);
    if (held) {
      const { error, heldMs } = held;
      return { outcome: { kind: 'not_sent', error }, heldMs, wasTried: false };
    }
    const before = this.find(settings, path);
    if (before) before.isTried = true;
    try {
      const outcome = await send();
      if (outcome.kind !== 'not_sent') this.accept(settings, path);
      else if (outcome.error instanceof PlatformUnauthorizedError && !isOfToken(outcome.error))
        return {
          outcome,
          heldMs: this.refuse(keyOf(settings, path), outcome.error),
          wasTried: true,
        };
      return { outcome, heldMs: null, wasTried: true };
    } finally {
      if (before) before.isTried = false;
    }
  }

  /** Nearly always there is none, for anybody. */
  private find(settings: PaymentsSettings, path: string): Refused | undefined {
    return this.refused.size > 0 ? this.refused.get(keyOf(settings, path)) : undefined;
  }

  private accept(settings: PaymentsSettings, path: string): void {
    if (this.refused.size > 0) this.refused.delete(keyOf(settings, path));
  }

  /** Creates that were on their way together count as one refusal. */
  private refuse(key: string, error: PlatformUnauthorizedError): number {
    const before = this.refused.get(key);
    const heldMs = before ? this.heldMs({ ...before, isTried: false }) : 0;
    if (heldMs > 0) return heldMs;
    const times = (before?.times ?? 0) + 1;
    const forMs = doubled(LATER.firstMs, LATER.longestMs, times);
    const until = this.runtime.elapsed() + forMs;
    this.refused.set(key, { error, times, until, isTried: false });
    return forMs;
  }

  private heldMs({ until, isTried }: Refused): number {
    return isTried ? TRIED_MS : Math.max(0, until - this.runtime.elapsed());
  }
}

/** The resource is the last part of its path, in every version of the API. */
function keyOf(settings: PaymentsSettings, path: string): string {
  return `${applicationOf(settings)} ${path.slice(path.lastIndexOf('/') + 1)}`;
}

/** A wrong client id or secret is refused where tokens are made, which says nothing of creates. */
function isOfToken({ operation }: PlatformUnauthorizedError): boolean {
  return operation === GET_TOKEN;
}
