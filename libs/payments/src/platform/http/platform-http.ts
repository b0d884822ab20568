import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import { HttpService } from '@nestjs/axios';
import {
  Injectable,
  type OnApplicationShutdown,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { KnownAccounts } from '../../work/known-accounts.js';
import {
  PlatformAnswerTooLargeError,
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '../../payments.errors.js';
import { LIMITS } from '../../payments-defaults.js';
import type { PaymentsSettings } from '../../work/payments.settings.js';
import { PAYMENTS_VERSION } from '../../payments-version.js';
import { PerAccount } from '../../work/per-account.js';
import { Runtime } from '../../work/runtime.js';
import { ShutdownSignal } from '../../work/shutdown-signal.js';
import { accountAttributes } from '../../work/telemetry/account-attributes.js';
import { errorType } from '../../work/telemetry/error-type.js';
import { METRICS } from '../../work/telemetry/metrics-list.js';
import { record } from '../../work/telemetry/metrics.js';
import { inSpan } from '../../work/telemetry/spans.js';
import { ATTRIBUTE, CONVENTION } from '../../work/telemetry/telemetry-names.js';
import { urlTemplateOf } from '../../work/telemetry/url-template.js';
import { PlatformClocks } from '../../work/platform-clock.js';
import { PlatformReachability } from './platform-reachability.js';
import { transportFailure } from './platform-failure.js';
import { httpAgent, httpsAgent } from './idle-connections.js';
import { ConnectionSlots } from './connection-slots.js';
import { RequestDeadline } from './request-deadline.js';

/** One request to the platform. We build the path from ids; we never follow a URL that the platform sends. */
export interface PlatformRequest {
  /** Name of the call, for errors and logs: `create incoming payment`. */
  operation: string;
  method: 'GET' | 'POST';
  path: string;
  body?: { type: 'application/json' | 'application/x-www-form-urlencoded'; text: string };
  accessToken?: string;
  /** Whether it may be sent again: then shutdown aborts it instead of waiting for it. Never true for a create. */
  repeatable?: boolean;
  timeoutMs: number;
  maxBytes?: number;
}

/** An answer of the platform with any status; `answerError` checks it. */
export interface PlatformResponse {
  status: number;
  location: string | null;
  retryAfter: string | null;
  /** When the platform answered, by its own clock. */
  date: string | null;
  text: string;
}

/** Connections to a platform. */
interface Agents {
  httpAgent: HttpAgent;
  httpsAgent: HttpsAgent;
  /** By origin. */
  slots: Map<string, ConnectionSlots>;
}

/**
 * How long a connection may be idle before TCP checks it. It is the time that axios sets for each request: with another one, each
 * request would set both, which are two system calls.
 */
const TCP_KEEP_ALIVE_MS = 60_000;

/** Sends requests to the configured origins of an account only. It does not check the answer. */
@Injectable()
export class PlatformHttp implements BeforeApplicationShutdown, OnApplicationShutdown {
  /** The connections of accounts with the same options, by these options. */
  private readonly agents = new Map<string, Agents>();
  /** The same by the object of the options. */
  private readonly agentsOfOptions = new WeakMap<object, Agents>();
  private readonly reachability: PerAccount<Map<string, PlatformReachability>>;
  /** Running creates. Shutdown waits for them, because the outcome of an aborted create is unknown. */
  private readonly creates = new Set<Promise<unknown>>();

  constructor(
    private readonly http: HttpService,
    private readonly clocks: PlatformClocks,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {
    this.reachability = new PerAccount(
      () => new Map<string, PlatformReachability>(),
      accounts.forgotten$,
    );
  }

  /**
   * @param beforeSending is awaited when the request has its connection: what it throws keeps the request from being sent
   * @throws PlatformUnreachableError when certainly nothing was sent
   * @throws PlatformTimeoutError when the request may have been sent and no complete answer came
   */
  async request(
    settings: PaymentsSettings,
    request: PlatformRequest,
    beforeSending?: () => Promise<void> | void,
  ): Promise<PlatformResponse> {
    if (request.repeatable) return this.inSlot(settings, request, beforeSending);
    const create = this.inSlot(settings, request, beforeSending);
    this.creates.add(create);
    try {
      return await create;
    } finally {
      this.creates.delete(create);
    }
  }

  private async inSlot(
    settings: PaymentsSettings,
    request: PlatformRequest,
    beforeSending?: () => Promise<void> | void,
  ): Promise<PlatformResponse> {
    const slots = slotsOf(this.agentsOf(settings.http), originOf(settings, request), settings.http);
    const begunAt = this.runtime.elapsed();
    if (!slots.tryTake()) {
      const deadline = new RequestDeadline(request.timeoutMs, this.shutdown.signal);
      if (!(await slots.take(deadline))) {
        const why = `all ${settings.http.maxSockets} connections (http.maxSockets) are in use`;
        throw new PlatformUnreachableError(request.operation, new Error(why));
      }
    }
    try {
      await beforeSending?.();
      // A create gets its whole time: with less of it, its outcome would be unknown more often.
      const waitedMs = request.repeatable ? this.runtime.elapsed() - begunAt : 0;
      return await this.observed(settings, request, request.timeoutMs - waitedMs);
    } finally {
      slots.give();
    }
  }

  /** Makes a request as a span, and measures it. Neither has an id, a query or a body of the request. */
  private async observed(
    settings: PaymentsSettings,
    request: PlatformRequest,
    timeoutMs: number,
  ): Promise<PlatformResponse> {
    const { account } = settings;
    const { method, operation, path } = request;
    const { protocol, hostname, port, origin } = new URL(originOf(settings, request));
    const template = urlTemplateOf(path);
    const attributes = {
      [CONVENTION.method]: method,
      [CONVENTION.serverAddress]: hostname,
      [CONVENTION.serverPort]: Number(port) || (protocol === 'https:' ? 443 : 80),
      [CONVENTION.urlTemplate]: template,
      [ATTRIBUTE.call]: operation,
    };
    const beganAt = this.runtime.elapsed();
    let result: Record<string, string | number> = {};
    const of = {
      name: `${method} ${template}`,
      kind: 'client',
      attributes: {
        ...attributes,
        [CONVENTION.urlFull]: origin + template,
        [ATTRIBUTE.account]: account,
      },
    } as const;
    try {
      return await inSpan(of, async (span) => {
        const response = await this.exchange(settings, request, timeoutMs);
        const { status } = response;
        result = { [CONVENTION.status]: status };
        span.set(result);
        if (status >= 400) {
          result[CONVENTION.errorType] = String(status);
          span.fail(String(status));
        }
        return response;
      });
    } catch (error) {
      result = { [CONVENTION.errorType]: errorType(error) };
      throw error;
    } finally {
      record(METRICS.requestDuration, this.runtime.elapsed() - beganAt, {
        ...attributes,
        ...result,
        ...accountAttributes(this.accounts, account),
      });
    }
  }

  private async exchange(
    settings: PaymentsSettings,
    request: PlatformRequest,
    timeoutMs: number,
  ): Promise<PlatformResponse> {
    const deadline = new RequestDeadline(
      timeoutMs,
      request.repeatable ? this.shutdown.signal : undefined,
    );
    const origin = originOf(settings, request);
    const reachability = this.reachabilityOf(settings, origin);
    const agents = this.agentsOf(settings.http);
    const sentAt = this.runtime.now();
    try {
      const response = await this.http.axiosRef.request<string>({
        method: request.method,
        url: origin + request.path,
        headers: headersOf(settings, request),
        data: request.body?.text,
        // `timeout` of axios is no deadline: a slow body may take longer. The signal covers connect, wait and body.
        signal: deadline,
        maxRedirects: 0,
        maxContentLength: request.maxBytes ?? LIMITS.answerBytes,
        responseType: 'text',
        transformRequest: [keep],
        transformResponse: [keep],
        validateStatus: () => true,
        httpAgent: agents.httpAgent,
        httpsAgent: agents.httpsAgent,
        // A proxy of the environment would see what we ask and pay.
        proxy: false,
      });
      reachability.answered(response.status);
      this.clocks.at(origin).observe(response.headers['date'], sentAt, this.runtime.now());
      return {
        status: response.status,
        location: headerText(response.headers['location']),
        retryAfter: headerText(response.headers['retry-after']),
        date: headerText(response.headers['date']),
        text: typeof response.data === 'string' ? response.data : '',
      };
    } catch (error) {
      const failure = transportFailure(error, deadline, request.timeoutMs);
      if (failure.tooLarge) throw new PlatformAnswerTooLargeError(request.operation);
      if (!this.shutdown.signal.aborted) reachability.unanswered(failure);
      throw failure.certainlyNotSent
        ? new PlatformUnreachableError(request.operation, failure)
        : new PlatformTimeoutError(request.operation, failure);
    } finally {
      deadline.clear();
    }
  }

  /** A later change of the settings may name another origin. */
  private reachabilityOf(settings: PaymentsSettings, origin: string): PlatformReachability {
    const byOrigin = this.reachability.of(settings.account);
    const reachability = byOrigin.get(origin) ?? new PlatformReachability(settings, origin);
    byOrigin.set(origin, reachability);
    return reachability;
  }

  /** Many accounts share connections: most of them send little, and a connection for each would cost a handshake for each request. */
  private agentsOf(http: PaymentsSettings['http']): Agents {
    const existing = this.agentsOfOptions.get(http);
    if (existing) return existing;
    const { maxSockets, ca } = http;
    const key = JSON.stringify([maxSockets, ca?.toString()]);
    const agents = this.agents.get(key) ?? newAgents(http, () => this.runtime.elapsed());
    this.agents.set(key, agents);
    this.agentsOfOptions.set(http, agents);
    return agents;
  }

  /** Not before the listeners have ended, which may begin a create meanwhile. Each create has a deadline, so this wait ends. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.creates);
  }

  onApplicationShutdown(): void {
    for (const { httpAgent, httpsAgent } of this.agents.values()) {
      httpAgent.destroy();
      httpsAgent.destroy();
    }
  }
}

/** Tokens may have an origin of their own. The client secret goes only there; an access token there and to the platform. */
function originOf(
  { baseUrl, tokenBaseUrl }: PaymentsSettings,
  { path }: Pick<PlatformRequest, 'path'>,
): string {
  return path.startsWith('/oauth/') ? tokenBaseUrl : baseUrl;
}

function slotsOf(
  { slots }: Agents,
  origin: string,
  { maxSockets }: PaymentsSettings['http'],
): ConnectionSlots {
  const ofOrigin = slots.get(origin) ?? new ConnectionSlots(maxSockets);
  slots.set(origin, ofOrigin);
  return ofOrigin;
}

function newAgents({ maxSockets, ca }: PaymentsSettings['http'], elapsed: () => number): Agents {
  const options = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, maxSockets };
  return {
    slots: new Map(),
    httpAgent: httpAgent(options, elapsed),
    httpsAgent: httpsAgent({ ...options, ...(ca && { ca: [...rootCertificates, ca] }) }, elapsed),
  };
}

function headersOf(settings: PaymentsSettings, request: PlatformRequest): Record<string, string> {
  return {
    Accept: 'application/json',
    'User-Agent': userAgent(settings.userAgent),
    ...(request.body && { 'Content-Type': request.body.type }),
    ...(request.accessToken && { Authorization: `Bearer ${request.accessToken}` }),
  };
}

/**
 * `<product>/<product-version> <comment>`: the host's product comes first, then ours is in the comment.
 * @see docs/conformance.md#requests
 */
function userAgent(host: string): string {
  const ours = `tillkit-payments/${PAYMENTS_VERSION}`;
  const node = `node/${process.versions.node}`;
  return host ? `${host} (${ours}; ${node})` : `${ours} (${node})`;
}

function headerText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Keeps axios from converting a body: `10.00` must not become 10. */
function keep<T>(data: T): T {
  return data;
}
