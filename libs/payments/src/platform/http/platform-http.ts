import type { OutgoingHttpHeaders } from 'node:http';
import {
  Injectable,
  type OnApplicationShutdown,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { AxiosHeaders, type AxiosResponse } from 'axios';
import { lastValueFrom } from 'rxjs';
import { accountAttributes, AccountRegistry } from '../../accounts/account-registry.js';
import { PaymentsError } from '../../payments.errors.js';
import {
  PlatformAnswerTooLargeError,
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '../../platform.errors.js';
import { errorText } from '../../runtime/logging.js';
import { LIMITS } from '../../payments-defaults.js';
import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import { PAYMENTS_VERSION } from '../../payments-version.js';
import { PerAccount } from '../../runtime/per-account.js';
import { Runtime } from '../../runtime/clock.js';
import { ShutdownSignal } from '../../runtime/shutdown-signal.js';
import { errorType, telemetryApi, urlTemplateOf } from '../../runtime/telemetry/telemetry.js';
import { ATTRIBUTE, CONVENTION, METRICS } from '../../runtime/telemetry/metrics-list.js';
import { record } from '../../runtime/telemetry/metrics.js';
import { inSpan } from '../../runtime/telemetry/spans.js';
import type { PlatformRequest, PlatformResponse } from './platform-answer.js';
import { PlatformClocks } from '../platform-clock.js';
import { PlatformReachability } from './platform-reachability.js';
import { CONNECT_WITHIN_MS, Connections, cureOf } from './connections.js';
import { AnswerTooLarge, exchange } from './exchange.js';
import { Passage, PaymentsHttpService } from './payments-http.service.js';
import { freePermission, type WritePermission } from './write-permission.js';

/** An interceptor has so long to end after the answer. */
const ENDS_WITHIN_MS = 1_000;

/** A request that is to be written, with everything that this needs. */
interface Writing {
  settings: PaymentsSettings;
  request: PlatformRequest;
  /** Headers of the interceptors. */
  added: OutgoingHttpHeaders;
  connections: Connections;
  permission: WritePermission;
}

/** Sends requests to the configured origins of an account only. It does not check the answer. */
@Injectable()
export class PlatformHttp implements BeforeApplicationShutdown, OnApplicationShutdown {
  /** The connections of accounts with the same options, by origin and options. */
  private readonly connections = new Map<string, Connections>();
  /** The same connections, by the object of the options and the origin: this finds them without making a text of the options. */
  private readonly byOptions = new WeakMap<object, Map<string, Connections>>();
  private readonly services: PerAccount<PaymentsHttpService>;
  private readonly reachability: PerAccount<Map<string, PlatformReachability>>;
  /** Running creates. Shutdown waits for them, because the outcome of an aborted create is unknown. */
  private readonly creates = new Set<Promise<unknown>>();

  constructor(
    private readonly clocks: PlatformClocks,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {
    this.services = new PerAccount(() => new PaymentsHttpService(), accounts.closed$);
    this.reachability = new PerAccount(
      () => new Map<string, PlatformReachability>(),
      accounts.closed$,
    );
  }

  /**
   * @param permission is used in the moment in which the first byte is written
   * @throws PlatformUnreachableError | InterceptedRequestError when nothing was sent, and what `permission` throws
   * @throws PlatformTimeoutError when the request may have been sent and no complete answer came
   */
  request(
    settings: PaymentsSettings,
    request: PlatformRequest,
    permission = freePermission(request.operation, this.runtime),
  ): Promise<PlatformResponse> {
    const sent = this.pass(settings, request, permission);
    if (request.repeatable) return sent;
    const ended = (): boolean => this.creates.delete(sent);
    this.creates.add(sent);
    void sent.then(ended, ended);
    return sent;
  }

  serviceOf(account: string): PaymentsHttpService {
    return this.services.get(account);
  }

  /** The answer on a connection to this origin could not be read: no connection that is open now is used again. */
  distrust(settings: PaymentsSettings, path: string): void {
    this.connectionsTo(originOf(settings, path), settings.http).retire();
  }

  /** Sends a request through the interceptors of the host. */
  private async pass(
    settings: PaymentsSettings,
    request: PlatformRequest,
    permission: WritePermission,
  ): Promise<PlatformResponse> {
    const connections = this.connectionsTo(originOf(settings, request.path), settings.http);
    const begunAt = this.runtime.elapsed();
    const passage = new Passage(connections.origin + request.path, request, permission, (added) =>
      this.inSlot({ settings, request, added, connections, permission }, begunAt),
    );
    const { operation, timeoutMs } = request;
    try {
      // Interceptors, and tools that answer in a test, must not see a request that must not be sent now.
      await permission.refresh();
      const config = passage.config();
      const passing = lastValueFrom<AxiosResponse>(
        this.serviceOf(settings.account).request(config),
      );
      // The time is in whole seconds, because Node keeps a list of timers for each duration.
      const withinMs =
        Math.ceil((permission.leftMs + timeoutMs) / 1_000) * 1_000 + CONNECT_WITHIN_MS;
      const response = await this.inTime(passing, passage, withinMs);
      if (passage.answer) return passage.answer;
      // The request is on its way. An answer of anything else says nothing of what the platform does with it.
      if (permission.isUnanswered) throw new Error('it answered in place of the platform');
      const answer = passage.failure ? null : mocked(response);
      if (!answer) throw new Error('it gave no response');
      permission.answered();
      return answer;
    } catch (error) {
      if (passage.answer) return passage.answer;
      if (passage.failure) throw passage.failure;
      passage.end();
      if (error instanceof PaymentsError && !permission.isUsed) throw error;
      const why = new Error(`an interceptor of PaymentsHttpService failed: ${errorText(error)}`);
      throw permission.isUsed
        ? new PlatformTimeoutError(operation, why)
        : new PlatformUnreachableError(operation, why, 'check your interceptors and adapters');
    } finally {
      passage.end();
    }
  }

  /** An interceptor that never ends must not stop a request for ever: it has one second after the answer. */
  private inTime(
    passing: Promise<AxiosResponse>,
    passage: Passage,
    withinMs: number,
  ): Promise<AxiosResponse> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new Error('it did not end'));
      let cancel = this.runtime.timer(withinMs, late);
      passage.written = () => {
        cancel();
        cancel = this.runtime.timer(ENDS_WITHIN_MS, late);
      };
      passing.then(
        (response) => {
          cancel();
          resolve(response);
        },
        (error: Error) => {
          cancel();
          reject(error);
        },
      );
    });
  }

  private async inSlot(writing: Writing, begunAt: number): Promise<PlatformResponse> {
    const { settings, request, permission } = writing;
    const { account, http } = settings;
    const { slots } = writing.connections;
    const { operation, timeoutMs } = request;
    // A create gets its whole time: with less of it, its outcome would be unknown more often.
    const leftMs = (): number =>
      request.repeatable ? timeoutMs - (this.runtime.elapsed() - begunAt) : timeoutMs;
    const mayWaitMs = request.repeatable ? leftMs() : Math.min(timeoutMs, permission.leftMs);
    if (!slots.tryTake(account) && !(await slots.wait(account, mayWaitMs, this.shutdown.signal))) {
      throw this.withoutConnection(operation, http.maxSockets);
    }
    try {
      // Interceptors and the wait for a slot may have taken long, so we check again: no connection is opened for nothing.
      await permission.refresh();
      if (leftMs() <= 0) throw tooLate(operation);
      // Without an SDK nobody reads the span and the metric.
      return await (telemetryApi()
        ? this.observed(writing, leftMs())
        : this.exchange(writing, leftMs()));
    } finally {
      slots.give(account);
    }
  }

  private withoutConnection(operation: string, maxSockets: number): PlatformUnreachableError {
    if (this.shutdown.signal.aborted)
      return new PlatformUnreachableError(
        operation,
        new Error('the application closes'),
        'ask again after its next start',
      );
    return new PlatformUnreachableError(
      operation,
      new Error(`all ${maxSockets} connections (http.maxSockets) are in use`),
      'ask for less at once, or raise http.maxSockets',
    );
  }

  /** Makes a request as a span, and measures it. Neither the span nor the metric has an id, a query or a body of the request. */
  private async observed(writing: Writing, timeoutMs: number): Promise<PlatformResponse> {
    const { account } = writing.settings;
    const { method, operation, path } = writing.request;
    const { protocol, hostname, port, origin } = new URL(writing.connections.origin);
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
        const response = await this.exchange(writing, timeoutMs);
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
    { settings, request, added, connections, permission }: Writing,
    timeoutMs: number,
  ): Promise<PlatformResponse> {
    const { operation, method, path, body, maxBytes, repeatable } = request;
    const reachability = this.reachabilityOf(settings, connections.origin);
    const sentAt = this.runtime.now();
    try {
      const { answer, text } = await exchange(
        connections,
        {
          method,
          path,
          headers: { ...added, ...headersOf(settings, request) },
          body: body?.text,
          timeoutMs,
          maxBytes: maxBytes ?? LIMITS.answerBytes,
          shutdown: repeatable ? this.shutdown.signal : undefined,
        },
        permission,
      );
      const { statusCode: status = 0, headers: answered } = answer;
      if (status === 421 || status >= 500) connections.retire();
      reachability.answered(status);
      this.clocks.at(connections.origin).observe(answered.date, sentAt, this.runtime.now());
      return {
        status,
        location: answered.location ?? null,
        retryAfter: answered['retry-after'] ?? null,
        date: answered.date ?? null,
        text,
        headers: answered,
      };
    } catch (error) {
      if (error instanceof PaymentsError) throw error;
      if (error instanceof AnswerTooLarge) throw new PlatformAnswerTooLargeError(operation);
      const cause = error as Error;
      const cure = cureOf(cause, connections.origin);
      if (!this.shutdown.signal.aborted)
        reachability.unanswered(cause.message, cure, permission.isUsed);
      throw permission.isUsed
        ? new PlatformTimeoutError(operation, cause)
        : new PlatformUnreachableError(operation, cause, cure);
    }
  }

  /** A later change of the settings may name another origin. */
  private reachabilityOf(settings: PaymentsSettings, origin: string): PlatformReachability {
    const byOrigin = this.reachability.get(settings.account);
    const reachability = byOrigin.get(origin) ?? new PlatformReachability(settings, origin);
    byOrigin.set(origin, reachability);
    return reachability;
  }

  /** Many accounts share connections: most of them send little, and a connection for each would cost a handshake for each request. */
  private connectionsTo(origin: string, http: PaymentsSettings['http']): Connections {
    const ofOptions = this.byOptions.get(http) ?? new Map<string, Connections>();
    const existing = ofOptions.get(origin);
    if (existing) return existing;
    const { maxSockets, tls, proxy } = http;
    const key = JSON.stringify([origin, maxSockets, proxy, tls]);
    const connections = this.connections.get(key) ?? new Connections(origin, http, this.runtime);
    this.connections.set(key, connections);
    this.byOptions.set(http, ofOptions.set(origin, connections));
    return connections;
  }

  /**
   * Waits only after the listeners have ended, because they may begin a create until then. Each create has a deadline, so this wait ends.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.creates);
  }

  onApplicationShutdown(): void {
    for (const connections of this.connections.values()) connections.close();
  }
}

/** Tokens may have an origin of their own. The client secret goes only there; an access token there and to the platform. */
function originOf({ baseUrl, tokenBaseUrl }: PaymentsSettings, path: string): string {
  return path.startsWith('/oauth/') ? tokenBaseUrl : baseUrl;
}

function headersOf(settings: PaymentsSettings, request: PlatformRequest): Record<string, string> {
  return {
    Accept: 'application/json',
    // Nothing here decompresses an answer.
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

/** Returns what a tool of a test answers in place of the platform; null when it answers nothing. */
function mocked(response: AxiosResponse | null | undefined): PlatformResponse | null {
  if (typeof response?.status !== 'number') return null;
  const { status } = response;
  const data: unknown = response.data;
  const headers = AxiosHeaders.from(response.headers as AxiosHeaders);
  const header = (name: string): string | null => {
    const value = headers.get(name);
    return typeof value === 'string' ? value : null;
  };
  return {
    status,
    location: header('location'),
    retryAfter: header('retry-after'),
    date: header('date'),
    text: textOf(data),
  };
}

function textOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (Buffer.isBuffer(data)) return data.toString();
  return data === undefined || data === null ? '' : JSON.stringify(data);
}

/** Nothing of the request was written: the wait for a slot, interceptors or this process have used its time. */
function tooLate(operation: string): PlatformUnreachableError {
  return new PlatformUnreachableError(
    operation,
    new Error('its time was over before it could be written'),
    'look for slow interceptors of PaymentsHttpService, a busy event loop, or too few connections (http.maxSockets)',
  );
}
