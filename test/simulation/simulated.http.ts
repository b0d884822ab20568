import type { PlatformClocks } from '../../libs/payments/src/platform/platform-clock.js';
import type {
  PlatformRequest,
  PlatformResponse,
} from '../../libs/payments/src/platform/http/platform-answer.js';
import {
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '../../libs/payments/src/platform.errors.js';
import { PaymentsHttpService } from '../../libs/payments/src/platform/http/payments-http.service.js';
import {
  freePermission,
  type WritePermission,
} from '../../libs/payments/src/platform/http/write-permission.js';
import type { PaymentsSettings } from '../../libs/payments/src/accounts/payments.settings.js';
import { isCreate, keyOfCreate, type ExchangeFault } from './platform.exchange.js';
import type { Chance } from './seeded.chance.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { Processes } from './history.processes.js';
import type { Simulation } from './history.simulation.js';

/**
 * Replaces `PlatformHttp`. Every exchange takes time, and may fail in each phase in every way in which a network can fail. As in the
 * original, an interceptor of the host may wait and may repeat a request, and the permission is used at the moment when the connection is
 * open.
 */
export class SimulatedHttp {
  constructor(
    private readonly processes: Processes,
    private readonly process: SimulatedReplica,
    private readonly clocks: PlatformClocks,
  ) {}

  distrust(): void {}

  /** Nothing uses this service here. */
  serviceOf(): PaymentsHttpService {
    return new PaymentsHttpService();
  }

  async request(
    settings: PaymentsSettings,
    request: PlatformRequest,
    permission = freePermission(request.operation, this.process.runtime),
  ): Promise<PlatformResponse> {
    const { account } = settings;
    const simulation = this.processes.worldOf(account);
    const create = isCreate(request);
    await permission.refresh();
    await this.delay(account, request, 'interceptor waits', 90_000);
    await this.delay(account, request, 'connections busy', 25_000);
    await permission.refresh();
    const name = create
      ? simulation.nthOf(`create ${keyOfCreate(request)}`)
      : simulation.nthOf(`${request.method} ${request.path}`);
    const chance = simulation.chanceOf(name);
    const fault = this.fault(simulation, name, chance, create, request.path === '/oauth/token');
    if (fault === 'refused') return this.refuse(account, request, name, chance);
    await this.delay(account, request, 'handshake slow', 5_000);
    if (!permission.isFresh) await permission.refresh();
    permission.use();
    try {
      const answer = await this.exchange(settings, request, fault, name, chance);
      permission.answered();
      return answer;
    } finally {
      await this.passedAgain(settings, request, permission);
    }
  }

  /** An interceptor that repeats each request. A second permission would be a second create. */
  private async passedAgain(
    settings: PaymentsSettings,
    request: PlatformRequest,
    permission: WritePermission,
  ): Promise<void> {
    const simulation = this.processes.worldOf(settings.account);
    const name = simulation.nthOf(`interceptor repeats ${request.method} ${request.path}`);
    const chance = simulation.chanceOf(name);
    if (!isCreate(request) || simulation.faultsStopped || simulation.isSuppressed(name)) return;
    if (!simulation.happens(chance, 'interceptor repeats')) return;
    simulation.faulted(name);
    simulation.reached('an interceptor repeats a create');
    try {
      permission.use();
    } catch {
      return;
    }
    await this.exchange(settings, request, 'normal', name, chance);
  }

  /** Sometimes a request waits: in an interceptor, for a connection, or while that is opened. */
  private async delay(
    account: string,
    request: PlatformRequest,
    why: 'interceptor waits' | 'connections busy' | 'handshake slow',
    longestMs: number,
  ): Promise<void> {
    const simulation = this.processes.worldOf(account);
    const name = simulation.nthOf(`${why} of ${request.method} ${request.path}`);
    const chance = simulation.chanceOf(name);
    const mayHappen = !simulation.faultsStopped && !simulation.isSuppressed(name);
    if (!mayHappen || !simulation.happens(chance, why)) return;
    simulation.faulted(name);
    simulation.reached('a request waits for a connection');
    const replica = this.process.of(account);
    const label = `${replica.name} has a ${name}`;
    await new Promise<void>((resolve) => {
      simulation.scheduler.after(chance.duration(100, longestMs), replica, label, resolve);
    });
  }

  /** There is no connection. */
  private refuse(
    account: string,
    request: PlatformRequest,
    name: string,
    chance: Chance,
  ): Promise<never> {
    const replica = this.process.of(account);
    const { scheduler } = this.processes.worldOf(account);
    return new Promise((_, reject) => {
      scheduler.after(chance.between(1, 50), replica, `${replica.name} is refused ${name}`, () => {
        this.process.troubled.add(account);
        reject(new PlatformUnreachableError(request.operation, new Error('ECONNREFUSED')));
      });
    });
  }

  private exchange(
    { account, baseUrl, tokenBaseUrl }: PaymentsSettings,
    request: PlatformRequest,
    fault: ExchangeFault,
    name: string,
    chance: Chance,
  ): Promise<PlatformResponse> {
    const simulation = this.processes.worldOf(account);
    const replica = this.process.of(account);
    const { scheduler } = simulation;
    const troubled = (): unknown => this.process.troubled.add(account);
    const create = isCreate(request);
    if (create) simulation.checker.sending.createSent(replica, keyOfCreate(request));
    const origin = request.path.startsWith('/oauth/') ? tokenBaseUrl : baseUrl;
    simulation.credentials.sent(replica.name, origin, request);
    return new Promise((resolve, reject) => {
      /** An error while the request is written may look as if there was no connection at all. */
      const broken = (why: string): void => {
        troubled();
        const isMisleading = create && simulation.happens(chance, 'misleading error');
        if (isMisleading) simulation.reached('an error says that a create was not sent');
        const error = isMisleading ? PlatformUnreachableError : PlatformTimeoutError;
        reject(new error(request.operation, new Error(isMisleading ? 'wrong version' : why)));
      };
      const sentAt = this.process.runtime.now();
      const deadline = scheduler.after(
        request.timeoutMs,
        replica,
        `${replica.name} reaches the deadline of ${name}`,
        () => {
          if (create) simulation.reached('create reached its deadline');
          broken(`no answer in ${request.timeoutMs} ms`);
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
                broken('ECONNRESET');
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
