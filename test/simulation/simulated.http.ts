import type { PlatformClocks } from '../../libs/payments/src/work/platform-clock.js';
import type {
  PlatformRequest,
  PlatformResponse,
} from '../../libs/payments/src/platform/http/platform-http.js';
import {
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '../../libs/payments/src/payments.errors.js';
import type { PaymentsSettings } from '../../libs/payments/src/work/payments.settings.js';
import { isCreate, keyOfCreate, type ExchangeFault } from './platform.exchange.js';
import type { Chance } from './seeded.chance.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { Processes } from './history.processes.js';
import type { Simulation } from './history.simulation.js';

/** Replaces `PlatformHttp`: every exchange takes time, and may fail in every way in which a network can fail. */
export class SimulatedHttp {
  constructor(
    private readonly processes: Processes,
    private readonly process: SimulatedReplica,
    private readonly clocks: PlatformClocks,
  ) {}

  /** @param beforeSending is awaited when the request has its connection */
  async request(
    settings: PaymentsSettings,
    request: PlatformRequest,
    beforeSending?: () => Promise<void>,
  ): Promise<PlatformResponse> {
    await this.connection(settings.account, request);
    await beforeSending?.();
    return this.exchange(settings, request);
  }

  /** Sometimes all connections are in use for a while. */
  private async connection(account: string, request: PlatformRequest): Promise<void> {
    const simulation = this.processes.worldOf(account);
    const name = simulation.nthOf(`connection for ${request.method} ${request.path}`);
    const chance = simulation.chanceOf(name);
    const isBusy = !simulation.faultsStopped && !simulation.isSuppressed(name);
    if (!isBusy || !simulation.happens(chance, 'connections busy')) return;
    simulation.faulted(name);
    simulation.reached('a request waits for a connection');
    const replica = this.process.of(account);
    const label = `${replica.name} has a ${name}`;
    await new Promise<void>((resolve) => {
      simulation.scheduler.after(chance.duration(100, 25_000), replica, label, resolve);
    });
  }

  private exchange(
    { account, baseUrl, tokenBaseUrl }: PaymentsSettings,
    request: PlatformRequest,
  ): Promise<PlatformResponse> {
    const simulation = this.processes.worldOf(account);
    const replica = this.process.of(account);
    const { scheduler } = simulation;
    const troubled = (): unknown => this.process.troubled.add(account);
    const create = isCreate(request);
    const name = create
      ? simulation.nthOf(`create ${keyOfCreate(request)}`)
      : simulation.nthOf(`${request.method} ${request.path}`);
    const chance = simulation.chanceOf(name);
    const fault = this.fault(simulation, name, chance, create, request.path === '/oauth/token');
    if (create) simulation.checker.sending.createSent(replica, keyOfCreate(request));
    const origin = request.path.startsWith('/oauth/') ? tokenBaseUrl : baseUrl;
    simulation.credentials.sent(replica.name, origin, request);
    return new Promise((resolve, reject) => {
      const broken = (why: string): Error => new Error(why);
      if (fault === 'refused') {
        scheduler.after(
          chance.between(1, 50),
          replica,
          `${replica.name} is refused ${name}`,
          () => {
            troubled();
            reject(new PlatformUnreachableError(request.operation, broken('ECONNREFUSED')));
          },
        );
        return;
      }
      const sentAt = this.process.runtime.now();
      const deadline = scheduler.after(
        request.timeoutMs,
        replica,
        `${replica.name} reaches the deadline of ${name}`,
        () => {
          if (create) simulation.reached('create reached its deadline');
          troubled();
          reject(
            new PlatformTimeoutError(
              request.operation,
              broken(`no answer in ${request.timeoutMs} ms`),
            ),
          );
        },
      );
      scheduler.after(chance.between(1, 120), null, `platform receives ${name} (${fault})`, () => {
        const response = simulation.platform.handle(request, fault, name, chance);
        if (!response) {
          // A broken connection is noticed at once, a lost packet only at the deadline.
          if (chance.happens(0.5)) {
            scheduler.after(
              chance.between(1, 5_000),
              replica,
              `${replica.name} loses its connection`,
              () => {
                deadline.cancel();
                troubled();
                reject(new PlatformTimeoutError(request.operation, broken('ECONNRESET')));
              },
            );
          }
          return;
        }
        const answerMs = fault === 'slow' ? chance.duration(500, 45_000) : chance.between(1, 120);
        const { id } = create
          ? (simulation.platform.arrivals.at(-1) ?? { id: null })
          : { id: null };
        const date = simulation.platform.date();
        scheduler.after(
          answerMs,
          replica,
          `${replica.name} receives ${response.status} for ${name}`,
          () => {
            deadline.cancel();
            if (response.status === 429 || response.status >= 500 || response.status === 408)
              troubled();
            if (response.status === 429) {
              simulation.reached('429');
              if (create) simulation.checker.sending.rateLimited(replica, keyOfCreate(request));
            }
            if (response.status === 401) simulation.reached('401');
            if (id !== null) {
              simulation.answered.add(id);
              simulation.crossTalk.created(id);
            }
            this.clocks.at(origin).observe(date, sentAt, this.process.runtime.now());
            simulation.credentials.answered(origin, request, response);
            resolve(response);
          },
        );
      });
    });
  }

  private fault(
    simulation: Simulation,
    name: string,
    chance: Chance,
    create: boolean,
    token: boolean,
  ): ExchangeFault {
    if (simulation.faultsStopped || simulation.isSuppressed(name)) return 'normal';
    const fault = this.drawn(simulation, chance, create, token);
    if (fault !== 'normal') simulation.faulted(name);
    return fault;
  }

  private drawn(
    simulation: Simulation,
    chance: Chance,
    create: boolean,
    token: boolean,
  ): ExchangeFault {
    const on = simulation.happens.bind(simulation, chance);
    if (simulation.scheduler.now < simulation.platformAwayUntil) {
      if (simulation.platformAway === 'refused') return 'refused';
      return simulation.platformAway === 'timeout' ? 'unprocessed' : 'error unprocessed';
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
