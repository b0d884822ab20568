import type { Money } from './platform.truth.js';
import type { World } from './simulated.world.js';

/** Waits between attempts to deliver. After the last the platform gives up. */
const RETRIES_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const;

/** How long the platform waits for an answer. */
const ANSWER_MS = 10_000;

/** What a delivery tells, for the truth: which money, and whether it came or went. */
export interface Reported {
  money: Money;
  kind: 'received' | 'reversed';
}

interface Attempt {
  n: number;
  tooLarge: boolean;
  /** Who posts it knows no API key: it passes only where the URL vouches for it. */
  forged: boolean;
  applied: (() => void) | undefined;
}

/** Posts deliveries to whichever replica lives, again until one takes it or the platform gives up. */
export class PlatformDeliveries {
  /** Payments whose result was posted, by the platform's id. */
  readonly calledBack = new Set<string>();

  constructor(private readonly world: World) {}

  /** @param applied what else follows once a signed delivery was applied */
  post(
    name: string,
    url: string,
    body: unknown,
    reported: Reported | null,
    {
      applied,
      tooLarge = false,
      forged = false,
    }: { applied?: () => void; tooLarge?: boolean; forged?: boolean } = {},
  ): void {
    const how = { n: 0, tooLarge, applied, forged };
    this.attempt(name, url, Buffer.from(JSON.stringify(body)), reported, how);
  }

  private attempt(
    name: string,
    url: string,
    body: Buffer,
    reported: Reported | null,
    how: Attempt,
  ): void {
    const { world } = this;
    const { scheduler } = world;
    const { n, tooLarge } = how;
    const replica = world.someReplica(world.chanceOf(`${name} to ${n}`));
    const again = (): void => {
      const wait = RETRIES_MS[n];
      if (wait === undefined) return;
      scheduler.after(wait, null, `platform delivers ${name} again`, () =>
        this.attempt(name, url, body, reported, { ...how, n: n + 1 }),
      );
    };
    if (!replica) {
      again();
      return;
    }
    if (reported) {
      const { request } = reported.money;
      if (request && !this.calledBack.has(request.id)) world.met('webhook before callback');
    }
    scheduler.park(replica, `platform posts ${name} to ${replica.name}`, () => {
      const passes = !how.forged || replica.options.apiKeys.length === 0;
      const delivery = passes ? replica.verified(url, body) : null;
      if (delivery && tooLarge && delivery.kind === 'callback') {
        world.met('callback too large');
        replica.refused(delivery, url);
        again();
        return;
      }
      if (!delivery) {
        world.met('delivery refused');
        again();
        return;
      }
      let answered = false;
      const late = scheduler.after(ANSWER_MS, null, `platform waits for ${name} no longer`, () => {
        answered = true;
        again();
      });
      const answer = (applied: boolean): void => {
        late.cancel();
        if (applied && reported && delivery.verifiedBy === 'signature') {
          if (reported.kind === 'received') reported.money.receivedApplied = true;
          else reported.money.reversalApplied = true;
        }
        if (applied && delivery.verifiedBy === 'signature') how.applied?.();
        if (answered) return;
        answered = true;
        if (!applied) again();
      };
      replica.take(delivery, url).then(
        () => answer(true),
        () => answer(false),
      );
    });
  }
}
