import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import { HttpService } from '@nestjs/axios';
import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import {
  PlatformAnswerTooLargeError,
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { PAYMENTS_VERSION } from '../payments.version.js';
import { ClosingSignal } from './closing.signal.js';
import { PlatformClock } from './platform.clock.js';
import { transportFailure } from './platform.failure.js';
import { RequestDeadline } from './request.deadline.js';

/** One request to the platform. Its path is ours, built from ids: no URL that the platform sends is ever followed. */
export interface PlatformRequest {
  /** What is being done, for errors and logs: `create incoming payment`. */
  operation: string;
  method: 'GET' | 'POST';
  path: string;
  body?: { type: 'application/json' | 'application/x-www-form-urlencoded'; text: string };
  accessToken?: string;
  /** Whether it may be sent again, so that closing the application need not wait for it. Never true of a create. */
  repeatable?: boolean;
  timeoutMs: number;
  maxBytes?: number;
}

/** An answer of the platform, not yet judged. */
export interface PlatformResponse {
  status: number;
  location: string | null;
  retryAfter: string | null;
  text: string;
}

/** Sends bytes to the configured origin and nowhere else. Judges nothing but whether an answer came. */
@Injectable()
export class PlatformHttp implements OnModuleDestroy, OnApplicationShutdown {
  private readonly httpAgent: HttpAgent;
  private readonly httpsAgent: HttpsAgent;
  private readonly userAgent: string;
  /** Creates under way: their outcome would be unknown if they were cut off. */
  private readonly creates = new Set<Promise<unknown>>();

  constructor(
    private readonly http: HttpService,
    private readonly clock: PlatformClock,
    private readonly closing: ClosingSignal,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {
    const { maxSockets, ca } = options.http;
    this.httpAgent = new HttpAgent({ keepAlive: true, maxSockets });
    this.httpsAgent = new HttpsAgent({
      keepAlive: true,
      maxSockets,
      ...(ca && { ca: [...rootCertificates, ca] }),
    });
    this.userAgent = userAgent(options.userAgent);
  }

  /**
   * @throws PlatformUnreachableError when it is certain that nothing was sent
   * @throws PlatformTimeoutError when it may have been sent and no whole answer came
   */
  async send(request: PlatformRequest): Promise<PlatformResponse> {
    if (request.repeatable) return this.exchange(request);
    const create = this.exchange(request);
    this.creates.add(create);
    try {
      return await create;
    } finally {
      this.creates.delete(create);
    }
  }

  private async exchange(request: PlatformRequest): Promise<PlatformResponse> {
    const deadline = new RequestDeadline(
      request.timeoutMs,
      request.repeatable ? this.closing.signal : undefined,
    );
    const sentAt = Date.now();
    try {
      const response = await this.http.axiosRef.request<string>({
        method: request.method,
        url: this.options.baseUrl + request.path,
        headers: this.headers(request),
        data: request.body?.text,
        // `timeout` of axios is no deadline: a body that drips outlives it. The signal covers connect, wait and body.
        signal: deadline.signal,
        maxRedirects: 0,
        maxContentLength: request.maxBytes ?? this.options.http.maxResponseBytes,
        responseType: 'text',
        transformRequest: [keep],
        transformResponse: [keep],
        validateStatus: () => true,
        httpAgent: this.httpAgent,
        httpsAgent: this.httpsAgent,
        ...(this.options.http.environmentProxy ? {} : { proxy: false }),
      });
      this.clock.observe(response.headers['date'], sentAt, Date.now());
      return {
        status: response.status,
        location: headerText(response.headers['location']),
        retryAfter: headerText(response.headers['retry-after']),
        text: typeof response.data === 'string' ? response.data : '',
      };
    } catch (error) {
      const failure = transportFailure(error, deadline.signal, request.timeoutMs);
      if (failure.tooLarge) throw new PlatformAnswerTooLargeError(request.operation);
      throw failure.certainlyNotSent
        ? new PlatformUnreachableError(request.operation, failure)
        : new PlatformTimeoutError(request.operation, failure);
    } finally {
      deadline.clear();
    }
  }

  /** Creates have a deadline of their own, so this ends. */
  async onModuleDestroy(): Promise<void> {
    await Promise.allSettled(this.creates);
  }

  onApplicationShutdown(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  private headers(request: PlatformRequest): Record<string, string> {
    return {
      Accept: 'application/json',
      'User-Agent': this.userAgent,
      ...(request.body && { 'Content-Type': request.body.type }),
      ...(request.accessToken && { Authorization: `Bearer ${request.accessToken}` }),
    };
  }
}

/** `<product>/<product-version> <comment>` (spec 1.3): the host's product comes first, ours then moves to the comment. */
function userAgent(host: string): string {
  const ours = `tillkit-payments/${PAYMENTS_VERSION}`;
  const node = `node/${process.versions.node}`;
  return host ? `${host} (${ours}; ${node})` : `${ours} (${node})`;
}

function headerText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Bodies stay the text they are: `10.00` must not become 10 on the way. */
function keep<T>(data: T): T {
  return data;
}
