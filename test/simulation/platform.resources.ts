import type { PlatformResponse } from '../../libs/payments/src/platform/http/platform-answer.js';
import { answer, notFound, type AnyCreate } from './platform.exchange.js';
import type { PlatformModel } from './platform.model.js';
import type { PlatformResource } from './platform.truth.js';
import type { Chance } from './seeded.chance.js';
import type { Simulation } from './history.simulation.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Maximum reads of one resource: a link is read every hour for a week. */
const MAX_READS = 600;

/** Money that moves after the platform said that it did not, moves within this time. */
export const CHANGES_ITS_MIND_MS = 9 * MINUTE;

/** The money moves this many milliseconds after that: at once, or after reads have confirmed that it did not move. */
export function changesItsMindIn(chance: Chance): number {
  return chance.pick([
    chance.duration(5, CHANGES_ITS_MIND_MS),
    chance.between(30 * SECOND, CHANGES_ITS_MIND_MS),
  ]);
}

/** True when the platform said `Cancelled` so long ago that a repetition counts. */
export function isMinutesAgo(cancelledAt: number | null, { scheduler }: Simulation): boolean {
  return cancelledAt !== null && scheduler.now - cancelledAt >= 2 * MINUTE;
}

export const FAILURES = [
  'The initiator information is invalid.',
  'The balance is insufficient for the transaction',
  'The recipient cannot be paid',
] as const;

/** Resources of one type: their callbacks, and reads that may show an older state than a callback did. */
export abstract class PlatformResources<R extends PlatformResource> {
  readonly all = new Map<string, R>();
  protected abstract readonly type: string;
  protected abstract readonly path: string;

  constructor(
    protected readonly simulation: Simulation,
    protected readonly platform: PlatformModel,
  ) {}

  /** Returns the attributes that the platform shows of its present state. */
  protected abstract attributesOf(resource: R): Record<string, unknown>;

  /** Returns the resource of an idempotency key; null when the platform has none. */
  ofKey(key: string): R | null {
    for (const resource of this.all.values()) if (resource.key === key) return resource;
    return null;
  }

  read(id: string): PlatformResponse {
    const { now } = this.simulation.scheduler;
    const resource = this.all.get(id);
    if (!resource || now < resource.hiddenUntil) return notFound();
    resource.reads += 1;
    if (resource.reads > MAX_READS)
      this.simulation.violate('unbounded work', `${id} was read ${resource.reads} times`);
    const shown =
      resource.shown.findLast(({ at }) => at <= now - resource.lagMs) ?? resource.shown[0];
    if (shown !== resource.shown.at(-1)) this.simulation.reached('read older than a callback');
    this.wasRead(resource, shown?.body ?? {});
    return answer(200, JSON.stringify(shown?.body));
  }

  /** The simulation calls this with the body that answers a read. */
  protected wasRead(_resource: R, _body: Record<string, unknown>): void {}

  protected begin(body: AnyCreate, name: string, chance: Chance): PlatformResource {
    const { simulation } = this;
    const { now } = simulation.scheduler;
    return {
      id: `${this.type[0]}${this.platform.nextSerial(this.type)}-${name.replace(/\W/g, '_')}`,
      key: body.metadata.order,
      callbackUrl: body._links.callback_url,
      metadata: body.metadata,
      createdAt: now,
      hiddenUntil: simulation.happens(chance, 'not found for a while')
        ? now + chance.duration(SECOND, 9 * MINUTE)
        : 0,
      lagMs: simulation.happens(chance, 'read late') ? chance.duration(500, 50_000) : 0,
      consistent: true,
      reads: 0,
      shown: [],
      chance,
    };
  }

  /** Shows the present state in reads, and perhaps in a callback. */
  protected show(resource: R, name: string, { calls = true }: { calls?: boolean } = {}): void {
    const body = this.bodyOf(resource, this.attributesOf(resource));
    resource.shown.push({ at: this.simulation.scheduler.now, body });
    if (calls) this.callback(resource, name, body);
  }

  /** Returns a body in the platform's format. */
  protected bodyOf(
    { id, key: _, callbackUrl, metadata, createdAt }: R,
    attributes: Record<string, unknown>,
  ): Record<string, unknown> {
    return {
      data: {
        id,
        type: this.type,
        attributes: {
          created_at: this.platform.wire.time(createdAt),
          ...attributes,
          metadata,
          _links: {
            callback_url: callbackUrl,
            self: `https://platform.test${this.path}/${id}`,
          },
        },
      },
    };
  }

  private callback(resource: R, name: string, body: Record<string, unknown>): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    const { chance } = resource;
    if (simulation.happens(chance, 'callback lost')) {
      simulation.reached('callback lost');
      return;
    }
    let inMs = chance.between(0, 800);
    if (simulation.happens(chance, 'callback late')) inMs = chance.duration(SECOND, 20 * HOUR);
    const times = simulation.happens(chance, 'callback twice') ? 2 : 1;
    for (let n = 0; n < times; n += 1) {
      scheduler.after(inMs, null, `platform calls back ${name} ${n}`, () => {
        const tooLarge = simulation.happens(chance, 'callback too large');
        this.platform.deliveries.post(`callback ${name} ${n}`, resource.callbackUrl, body, null, {
          tooLarge,
        });
      });
      inMs += chance.duration(1, HOUR);
    }
  }

  /** An attacker who knows the signed URLs posts a result that is not true. */
  protected forge(resource: R, name: string, attributes: Record<string, unknown>): void {
    const { simulation } = this;
    if (simulation.plan.settings.verification !== 'url') return;
    if (!simulation.happens(resource.chance, 'forged')) return;
    const body = this.bodyOf(resource, { ...this.attributesOf(resource), ...attributes });
    this.platform.deliveries.post(`forged ${name}`, resource.callbackUrl, body, null, {
      forged: true,
    });
    simulation.reached('a forged delivery');
  }
}
