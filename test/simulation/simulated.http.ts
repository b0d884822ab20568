import type { PlatformClocks } from '../../libs/payments/src/http/platform.clock.js';
import type {
  PlatformRequest,
  PlatformResponse,
} from '../../libs/payments/src/http/platform.http.js';
import {
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '../../libs/payments/src/payments.errors.js';
import { isCreate, keyOfCreate, type Fate } from './platform.model.js';
import type { Chance } from './seeded.chance.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { World } from './simulated.world.js';

/** Stands where bytes would leave a process: every exchange takes time, and may end in any way that a network has. */
export class SimulatedHttp {
  constructor(
    private readonly world: World,
    private readonly replica: SimulatedReplica,
    private readonly clocks: PlatformClocks,
  ) {}

  request(account: string, request: PlatformRequest): Promise<PlatformResponse> {
    const { world, replica } = this;
    const { scheduler } = world;
    const create = isCreate(request);
    const name = create
      ? world.nthOf(`create ${keyOfCreate(request)}`)
      : world.nthOf(`${request.method} ${request.path}`);
    const chance = world.chanceOf(name);
    const fate = this.fate(name, chance, create, request.path === '/oauth/token');
    if (create) world.checker.createSent(replica, keyOfCreate(request));
    return new Promise((resolve, reject) => {
      const broken = (why: string): Error => new Error(why);
      if (fate === 'refused') {
        scheduler.after(chance.between(1, 50), replica, `${replica.name} is refused ${name}`, () =>
          reject(new PlatformUnreachableError(request.operation, broken('ECONNREFUSED'))),
        );
        return;
      }
      const sentAt = replica.runtime.now();
      const deadline = scheduler.after(
        request.timeoutMs,
        replica,
        `${replica.name} waits for ${name} no longer`,
        () => {
          if (create) world.met('create without an answer');
          reject(
            new PlatformTimeoutError(
              request.operation,
              broken(`no answer in ${request.timeoutMs} ms`),
            ),
          );
        },
      );
      scheduler.after(chance.between(1, 120), null, `platform gets ${name} (${fate})`, () => {
        const response = world.platform.handle(request, fate, name, chance);
        if (!response) {
          // A connection that breaks is noticed at once, a packet that is lost only at the deadline.
          if (chance.happens(0.5)) {
            scheduler.after(chance.between(1, 5_000), replica, `${replica.name} is cut off`, () => {
              deadline.cancel();
              reject(new PlatformTimeoutError(request.operation, broken('ECONNRESET')));
            });
          }
          return;
        }
        const backMs = fate === 'slow' ? chance.duration(500, 45_000) : chance.between(1, 120);
        const { payment } = create
          ? (world.platform.arrivals.at(-1) ?? { payment: null })
          : { payment: null };
        const date = world.platform.date();
        scheduler.after(
          backMs,
          replica,
          `${replica.name} gets ${response.status} of ${name}`,
          () => {
            deadline.cancel();
            if (response.status === 429) {
              world.met('429');
              if (create) world.checker.rateLimited(replica, keyOfCreate(request));
            }
            if (response.status === 401) world.met('401');
            if (payment) world.answered.add(payment.id);
            this.clocks.of(account).observe(date, sentAt, replica.runtime.now());
            resolve(response);
          },
        );
      });
    });
  }

  private fate(name: string, chance: Chance, create: boolean, token: boolean): Fate {
    const { world } = this;
    if (world.quiet || world.isSuppressed(name)) return 'normal';
    const fate = this.drawn(chance, create, token);
    if (fate !== 'normal') world.faulted(name);
    return fate;
  }

  private drawn(chance: Chance, create: boolean, token: boolean): Fate {
    const { world } = this;
    const on = world.happens.bind(world, chance);
    if (world.scheduler.now < world.platformAwayUntil) {
      if (world.platformAway === 'refused') return 'refused';
      return world.platformAway === 'timeout' ? 'unprocessed' : 'error unprocessed';
    }
    if (on('refused')) return 'refused';
    if (on('rate limited')) return 'rate limited';
    if (on('unauthorized')) return 'unauthorized';
    if (create) {
      if (on('timeout unprocessed')) return 'unprocessed';
      if (on('answer lost')) return 'answer lost';
      if (on('server error')) return chance.pick(['error unprocessed', 'error processed'] as const);
      if (on('rejected')) return 'rejected';
      if (on('unreadable location')) return 'unreadable location';
    } else if (on('read failure')) {
      return chance.pick(['unprocessed', 'error unprocessed', 'answer lost'] as const);
    }
    if (!token && on('slow answer')) return 'slow';
    return 'normal';
  }
}
