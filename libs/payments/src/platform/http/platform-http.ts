import type { Agent, RequestOptions } from 'node:http';
import { rootCertificates } from 'node:tls';
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
import { telemetryApi } from '../../work/telemetry/telemetry-api.js';
import { ATTRIBUTE, CONVENTION } from '../../work/telemetry/telemetry-names.js';
import { urlTemplateOf } from '../../work/telemetry/url-template.js';
import { PlatformClocks } from '../../work/platform-clock.js';
import { PlatformReachability } from './platform-reachability.js';
import { transportFailure } from './platform-failure.js';
import { freshAgent } from './idle-connections.js';
import { ConnectionSlots } from './connection-slots.js';
import { exchange } from './exchange.js';

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

/** The connections to one origin. */
interface Connections {
  origin: string;
  /** Where and how a request is sent. */
  to: RequestOptions & { agent: Agent };
  slots: ConnectionSlots;
}

/** How long a connection may be idle before TCP checks it. */
const TCP_KEEP_ALIVE_MS = 60_000;

/** Sends requests to the configured origins of an account only. It does not check the answer. */
@Injectable()
export class PlatformHttp implements BeforeApplicationShutdown, OnApplicationShutdown {
  /** The connections of accounts with the same options, by origin and options. */
  private readonly connections = new Map<string, Connections>();
  /** The same by the object of the options and the origin. */
  private readonly byOptions = new WeakMap<object, Map<string, Connections>>();
  private readonly reachability: PerAccount<Map<string, PlatformReachability>>;
  /** Running creates. Shutdown waits for them, because the outcome of an aborted create is unknown. */
  private readonly creates = new Set<Promise<unknown>>();

  constructor(
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
  request(
    settings: PaymentsSettings,
    request: PlatformRequest,
    beforeSending?: () => Promise<void> | void,
  ): Promise<PlatformResponse> {
    const sent = this.inSlot(settings, request, beforeSending);
    if (request.repeatable) return sent;
    const ended = (): boolean => this.creates.delete(sent);
    this.creates.add(sent);
    void sent.then(ended, ended);
    return sent;
  }

  private async inSlot(
    settings: PaymentsSettings,
    request: PlatformRequest,
    beforeSending?: () => Promise<void> | void,
  ): Promise<PlatformResponse> {
    const connections = this.connectionsTo(originOf(settings, request), settings.http);
    const { slots } = connections;
    const begunAt = this.runtime.elapsed();
    if (!slots.tryTake() && !(await slots.take(request.timeoutMs, this.shutdown.signal))) {
      const why = `all ${settings.http.maxSockets} connections (http.maxSockets) are in use`;
      throw new PlatformUnreachableError(request.operation, new Error(why));
    }
    try {
      await beforeSending?.();
      // A create gets its whole time: with less of it, its outcome would be unknown more often.
      const waitedMs = request.repeatable ? this.runtime.elapsed() - begunAt : 0;
      const leftMs = request.timeoutMs - waitedMs;
      // Without an SDK nobody asks.
      return await (telemetryApi()
        ? this.observed(settings, request, connections, leftMs)
        : this.exchange(settings, request, connections, leftMs));
    } finally {
      slots.give();
    }
  }

  /** Makes a request as a span, and measures it. Neither has an id, a query or a body of the request. */
  private async observed(
    settings: PaymentsSettings,
    request: PlatformRequest,
    connections: Connections,
    timeoutMs: number,
  ): Promise<PlatformResponse> {
    const { account } = settings;
    const { method, operation, path } = request;
    const { protocol, hostname, port, origin } = new URL(connections.origin);
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
        const response = await this.exchange(settings, request, connections, timeoutMs);
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
    { origin, to }: Connections,
    timeoutMs: number,
  ): Promise<PlatformResponse> {
    const reachability = this.reachabilityOf(settings, origin);
    const sentAt = this.runtime.now();
    try {
      const { answer, text } = await exchange({
        to: {
          ...to,
          method: request.method,
          path: request.path,
          headers: headersOf(settings, request),
        },
        body: request.body?.text,
        timeoutMs,
        maxBytes: request.maxBytes ?? LIMITS.answerBytes,
        shutdown: request.repeatable ? this.shutdown.signal : undefined,
      });
      const { statusCode: status = 0, headers } = answer;
      reachability.answered(status);
      this.clocks.at(origin).observe(headers.date, sentAt, this.runtime.now());
      return {
        status,
        location: headers.location ?? null,
        retryAfter: headers['retry-after'] ?? null,
        date: headers.date ?? null,
        text,
      };
    } catch (error) {
      const failure = transportFailure(error);
      if (failure.tooLarge) throw new PlatformAnswerTooLargeError(request.operation);
      if (!this.shutdown.signal.aborted) reachability.unanswered(failure);
      throw failure.certainlyNotSent
        ? new PlatformUnreachableError(request.operation, failure)
        : new PlatformTimeoutError(request.operation, failure);
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
  private connectionsTo(origin: string, http: PaymentsSettings['http']): Connections {
    const ofOptions = this.byOptions.get(http) ?? new Map<string, Connections>();
    const existing = ofOptions.get(origin);
    if (existing) return existing;
    const key = JSON.stringify([origin, http.maxSockets, http.ca?.toString()]);
    const connections =
      this.connections.get(key) ?? newConnections(origin, http, () => this.runtime.elapsed());
    this.connections.set(key, connections);
    this.byOptions.set(http, ofOptions.set(origin, connections));
    return connections;
  }

  /** Not before the listeners have ended, which may begin a create meanwhile. Each create has a deadline, so this wait ends. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.creates);
  }

  onApplicationShutdown(): void {
    for (const { to } of this.connections.values()) to.agent.destroy();
  }
}

/** Tokens may have an origin of their own. The client secret goes only there; an access token there and to the platform. */
function originOf(
  { baseUrl, tokenBaseUrl }: PaymentsSettings,
  { path }: Pick<PlatformRequest, 'path'>,
): string {
  return path.startsWith('/oauth/') ? tokenBaseUrl : baseUrl;
}

function newConnections(
  origin: string,
  { maxSockets, ca }: PaymentsSettings['http'],
  elapsed: () => number,
): Connections {
  const { protocol, hostname, port } = new URL(origin);
  const options = {
    keepAlive: true,
    keepAliveMsecs: TCP_KEEP_ALIVE_MS,
    maxSockets,
    ...(ca && { ca: [...rootCertificates, ca] }),
  };
  const agent = freshAgent(protocol, options, elapsed);
  return {
    origin,
    // An IPv6 address has brackets in a URL only.
    to: { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, agent },
    slots: new ConnectionSlots(maxSockets),
  };
}

function headersOf(settings: PaymentsSettings, request: PlatformRequest): Record<string, string> {
  return {
    Accept: 'application/json',
    // Nothing here decompresses.
    'Accept-Encoding': 'identity',
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
