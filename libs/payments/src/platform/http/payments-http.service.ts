import axios from 'axios';
import type { OutgoingHttpHeaders } from 'node:http';
import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import {
  AxiosError,
  AxiosHeaders,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { InterceptedRequestError } from '../../platform.errors.js';
import type { PaymentsError } from '../../payments.errors.js';
import { Concealed } from '../../runtime/validate-input.js';
import type { PlatformRequest, PlatformResponse } from './platform-answer.js';
import type { WritePermission } from './write-permission.js';

/**
 * The `HttpService` of `@nestjs/axios` through which every request of an account to the platform goes: the place for interceptors,
 * `axios-mock-adapter` and tracing. It is for our requests only; import `HttpModule` for your own.
 *
 * An interceptor may wait, add headers or throw. It cannot send money twice, or send it elsewhere: when the connection is open, we check
 * again what is written, and whether it may be written. Each create is written once, and what the platform answered counts, whatever an
 * interceptor makes of it. An interceptor that changes the address or the body ends the request with `InterceptedRequestError`, and nothing
 * is written. Interceptors see client secret and access token in the request and the answer that are about tokens: keep those out of logs.
 * All other requests get their token behind them.
 * @example
 * app.get(PaymentsHttpService).axiosRef.interceptors.request.use((config) => {
 *   config.headers.set('X-Request-Id', randomUUID());
 *   return config;
 * });
 * @example
 * constructor(@InjectPayments('shop-17', PaymentsHttpService) private readonly http: PaymentsHttpService) {}
 * @see docs/testing.md#without-the-simulator
 * @publicApi
 */
@Injectable()
@Concealed()
export class PaymentsHttpService extends HttpService {
  /** @internal */
  constructor() {
    super(axios.create());
    // Axios would merge all defaults into each request, which has its own.
    const { defaults } = this.axiosRef;
    for (const name of Object.keys(defaults)) Reflect.deleteProperty(defaults, name);
    Object.assign(defaults, { adapter: sendByPassage, headers: {} });
  }
}

/**
 * Interceptors may not set these headers: they are ours, say how a request stands on its connection, or have Node write before it is asked.
 */
const NOT_OF_INTERCEPTORS =
  /^(accept|accept-encoding|authorization|connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i;

/** The headers of an answer, as Node has read them: axios would do it again, for each answer. */
class AnswerHeaders extends AxiosHeaders {
  override normalize(): this {
    return this;
  }
}

/** A request of ours as axios knows it. */
interface Config extends InternalAxiosRequestConfig {
  tillkit?: unknown;
}

/** Writes a request with headers beside ours, and reads its answer. @throws PaymentsError */
type Write = (added: OutgoingHttpHeaders) => Promise<PlatformResponse>;

/**
 * One request on its way through the `HttpService` of its account. It goes in the config through the interceptors of the host, which may
 * wait for, repeat or change what they see. This object keeps what is written, and what the platform has answered.
 */
export class Passage {
  /** Runs when the answer or the failure is known. */
  written: () => void = () => undefined;

  #answer: PlatformResponse | null = null;
  #failure: PaymentsError | null = null;
  #isWithAnother = false;
  readonly #url: string;
  readonly #request: PlatformRequest;
  readonly #permission: WritePermission;
  readonly #write: Write;

  constructor(url: string, request: PlatformRequest, permission: WritePermission, write: Write) {
    this.#url = url;
    this.#request = request;
    this.#permission = permission;
    this.#write = write;
  }

  /** Returns the config for axios, which merges, copies and reads it several times. So our headers are added after the interceptors. */
  config(): object {
    return {
      method: this.#request.method,
      url: this.#url,
      data: this.#request.body?.text,
      // Axios would make other texts of bodies: `10.00` must not become 10.
      transformRequest: HAND_OVER,
      cancelToken: NEVER_CANCELLED,
      tillkit: this,
    };
  }

  /** The platform's answer; null when there is none. */
  get answer(): PlatformResponse | null {
    return this.#answer;
  }

  /** The reason why no answer came; null when there is none. */
  get failure(): PaymentsError | null {
    return this.#failure;
  }

  /**
   * Another adapter than ours has the request, such as one of a test, or one that passes it on to ours. Until ours gets it, nobody knows
   * what the other one writes.
   */
  handOver(): void {
    this.#permission.assertUnspent();
    this.#isWithAnother = true;
  }

  /** Nobody waits for the request any more. If another adapter still has it, it may have been written. */
  end(): void {
    if (this.#isWithAnother) this.#permission.lose();
    this.#permission.end();
  }

  async send(config: Config): Promise<AxiosResponse> {
    try {
      // A sender that repeats without end must leave time for others.
      if (this.#answer ?? this.#failure) await new Promise(setImmediate);
      this.#isWithAnother = false;
      this.#permission.assertUnspent();
      const headers = this.headersOf(config);
      this.#answer = await this.#write(headers);
      this.#permission.answered();
    } catch (error) {
      // The failure of a create that was written says more than that somebody tried to write it again.
      if (!(error instanceof InterceptedRequestError && this.#failure))
        this.#failure = error as PaymentsError;
      const { message } = error as Error;
      throw new AxiosError(message, AxiosError.ERR_NETWORK, config);
    } finally {
      this.written();
      this.written = () => undefined;
    }
    return responseOf(this.#answer, config);
  }

  toJSON(): object {
    return {};
  }

  /** True for a passage. A copy, such as that of a deep clone, is none, because it has nothing to send. */
  static is(value: unknown): value is Passage {
    return value instanceof Passage && #request in value;
  }

  /** Returns the headers as the interceptors have left them. */
  private headersOf({ url, baseURL, params, method, data, headers }: Config): OutgoingHttpHeaders {
    const { body, operation } = this.#request;
    const refused = (what: string): InterceptedRequestError =>
      new InterceptedRequestError(operation, `changed its ${what}`, this.#permission.isUsed);
    if (url !== this.#url || baseURL !== undefined || params !== undefined) throw refused('URL');
    if (method?.toUpperCase() !== this.#request.method) throw refused('method');
    if (data !== body?.text) throw refused('body');
    // An adapter around ours may have made a plain object of them.
    const added = AxiosHeaders.from(headers).toJSON() as OutgoingHttpHeaders;
    for (const name in added) if (NOT_OF_INTERCEPTORS.test(name)) throw refused(`header ${name}`);
    // Axios sets a content type of its own.
    delete added['Content-Type'];
    return added;
  }
}

/** Sends a request of `PaymentsHttpService`. Axios calls it as its adapter. */
async function sendByPassage(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
  return passageOf(config).send(config);
}

/** Axios calls it for each request, just before the adapter. */
const HAND_OVER = [
  function (this: InternalAxiosRequestConfig, data: unknown): unknown {
    if (this.adapter !== sendByPassage) passageOf(this).handOver();
    return data;
  },
];

/** Without a cancel token, `HttpService` makes one for each request, and cancels it at its end. */
const NEVER_CANCELLED = { throwIfRequested: (): void => undefined };

function passageOf({ tillkit: passage, url }: Config): Passage {
  if (Passage.is(passage)) return passage;
  throw new InterceptedRequestError(
    `${url}`,
    'made it, or copied the field `tillkit` of its config or took it out',
    false,
  );
}

function responseOf(answer: PlatformResponse, config: InternalAxiosRequestConfig): AxiosResponse {
  const { status, text, headers } = answer;
  return {
    status,
    statusText: '',
    data: text,
    headers: Object.assign(new AnswerHeaders(), headers),
    config,
  };
}
