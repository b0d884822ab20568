import { apiKeyOf } from './simulated.replica.js';
import type { Money } from './platform.truth.js';
import type { Simulation } from './history.simulation.js';

/** Waits between attempts to deliver. After the last one the platform gives up. */
const RETRIES_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const;

/** The platform waits this many milliseconds for an answer. */
const ANSWER_MS = 10_000;

/** The truth that a delivery reports: the money that was received or reversed. */
export interface Reported {
  money: Money;
  kind: 'received' | 'reversed';
}

interface Attempt {
  n: number;
  tooLarge: boolean;
  /** The sender has no API key, so the guard accepts the delivery only when the URL verifies deliveries. */
  forged: boolean;
  applied: (() => void) | undefined;
}

/** Posts each delivery to a running replica, and repeats it until a replica accepts it or the platform gives up. */
export class PlatformDeliveries {
  /** Platform ids of payments whose result was posted. */
  readonly calledBack = new Set<string>();

  constructor(private readonly simulation: Simulation) {}

  /** @param applied called after a replica has accepted the signed delivery */
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
    const { simulation } = this;
    const { scheduler } = simulation;
    const { n, tooLarge } = how;
    const replica = simulation.someReplica(simulation.chanceOf(`${name} to ${n}`));
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
      if (request && !this.calledBack.has(request.id))
        simulation.reached('webhook before callback');
    }
    scheduler.park(replica, `platform posts ${name} to ${replica.name}`, () => {
      const apiKey = how.forged ? 'a key of an outsider' : apiKeyOf(simulation.account);
      const delivery = replica.verified(url, body, apiKey);
      simulation.crossTalk.delivered(name, url, delivery, replica, how.forged);
      if (delivery && tooLarge && delivery.kind === 'callback') {
        simulation.reached('callback too large');
        replica.refused(delivery, url);
        again();
        return;
      }
      if (!delivery) {
        simulation.reached('delivery refused');
        again();
        return;
      }
      let answered = false;
      const late = scheduler.after(
        ANSWER_MS,
        null,
        `platform waits for ${name} until its deadline`,
        () => {
          answered = true;
          again();
        },
      );
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
      replica.deliver(delivery, url).then(
        () => answer(true),
        () => answer(false),
      );
    });
  }
}
