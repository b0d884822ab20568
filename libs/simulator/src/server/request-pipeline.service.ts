import type { FaultSubject } from '../faults/fault-subject.js';
import type { SimulatorSettings } from '../simulator.options.js';
import { unauthorised, type Tokens } from '../tokens/tokens.service.js';
import { isObject, knownFields, validationErrors, type BodySchema } from './body.dto.js';
import { Refusal, jsonText, type PlatformAnswer } from './platform-answer.dto.js';
import type { PlatformExchange } from './platform-exchange.dto.js';
import { checkHeaders, readJsonBody } from './request.guard.js';

/** The steps that every create and every read of the API share: authorisation, validation, faults, answer. */
export class RequestPipeline {
  constructor(
    private readonly settings: SimulatorSettings,
    private readonly tokens: Tokens,
    private readonly baseUrl: () => string,
  ) {}

  /** Checks the token, then the headers. @throws Refusal */
  authorise(exchange: PlatformExchange, resource: string): void {
    const token = this.tokens.authorise(exchange.headers.authorization);
    if (exchange.inject('token-expires-mid-flight', { resource })) {
      token.state = 'expired';
      throw unauthorised('ExpiredAccessToken');
    }
    if (this.settings.strict) checkHeaders(exchange.headers);
  }

  /**
   * Reads and validates the body of a create, and leaves out the fields that the platform ignores. @throws Refusal 415, or 400 that names
   * every mistake.
   */
  readBody<Body>(
    exchange: PlatformExchange,
    schema: BodySchema | ((body: Readonly<Record<string, unknown>>) => BodySchema),
  ): Body {
    const body = readJsonBody(exchange.headers, exchange.body);
    const rules = typeof schema === 'function' ? schema(isObject(body) ? body : {}) : schema;
    const errors = validationErrors(body, rules, !this.settings.strict);
    if (errors.length > 0) throw new Refusal(400, errors.length === 1 ? errors[0]! : errors);
    return knownFields(body as Record<string, unknown>, rules) as Body;
  }

  /**
   * Carries out a create and answers 201 with `Location`, unless a fault changes the answer.
   *
   * @param commit carries out the create and returns the path of the new resource.
   */
  async create(
    exchange: PlatformExchange,
    subject: FaultSubject,
    commit: () => string | Promise<string>,
  ): Promise<PlatformAnswer> {
    const before = this.injectBeforeCommit(exchange, subject);
    if (before) return before;
    const path = await commit();
    const failed = this.injectAfterCommit(exchange, subject);
    if (failed) return failed;
    const location = this.location(exchange, subject, path);
    return { status: 201, headers: location === null ? {} : { location } };
  }

  /** Carries out a request that creates nothing, with the faults of a create. */
  act(
    exchange: PlatformExchange,
    subject: FaultSubject,
    commit: () => PlatformAnswer,
  ): PlatformAnswer {
    const before = this.injectBeforeCommit(exchange, subject);
    if (before) return before;
    const answer = commit();
    return this.injectAfterCommit(exchange, subject) ?? answer;
  }

  /** Answers a read, unless a fault changes the answer. */
  async read(
    exchange: PlatformExchange,
    subject: FaultSubject,
    body: () => string | Buffer,
  ): Promise<PlatformAnswer> {
    const failing = exchange.inject('read-5xx', subject);
    if (failing) throw new Refusal(failing.status!, 'The service is unavailable');
    if (exchange.inject('read-404', subject)) throw new Refusal(404, 'The resource was not found');
    const limited = exchange.inject('read-429', subject);
    if (limited) throw tooMany(limited.retryAfter!);
    const slow = exchange.inject('read-slow', subject);
    if (slow) await exchange.wait(slow.ms!);
    const answer = jsonText(200, body());
    if (exchange.inject('read-reset', subject)) return { ...answer, manner: 'reset-midway' };
    const drip = exchange.inject('read-drip', subject);
    return drip ? { ...answer, manner: { dripMs: drip.ms! } } : answer;
  }

  private injectBeforeCommit(
    exchange: PlatformExchange,
    subject: FaultSubject,
  ): PlatformAnswer | null {
    if (exchange.inject('create-reset-before-commit', subject))
      return { status: 0, manner: 'reset' };
    const failing = exchange.inject('create-5xx-before-commit', subject);
    if (failing) throw new Refusal(failing.status!, 'The service is unavailable');
    const limited = exchange.inject('create-429', subject);
    if (limited) throw tooMany(limited.retryAfter!);
    if (exchange.inject('create-302', subject)) {
      return { status: 302, headers: { location: `${this.baseUrl()}/elsewhere${exchange.url}` } };
    }
    // We decide about this fault before the commit, because with `commits: false` the request must not be carried out.
    const late = exchange.inject('create-408', subject);
    if (late && !late.commits) throw new Refusal(408, 'The request took too long');
    if (late) exchange.afterCommit = new Refusal(408, 'The request took too long').answer();
    return null;
  }

  private injectAfterCommit(
    exchange: PlatformExchange,
    subject: FaultSubject,
  ): PlatformAnswer | null {
    if (exchange.afterCommit) return exchange.afterCommit;
    if (exchange.inject('create-never-answers', subject)) return { status: 0, manner: 'never' };
    if (exchange.inject('create-reset-after-commit', subject))
      return { status: 0, manner: 'reset' };
    const failing = exchange.inject('create-5xx-after-commit', subject);
    return failing ? new Refusal(failing.status!, 'The service is unavailable').answer() : null;
  }

  private location(exchange: PlatformExchange, subject: FaultSubject, path: string): string | null {
    const url = this.baseUrl() + path;
    if (exchange.inject('create-without-location', subject)) return null;
    if (exchange.inject('create-foreign-location', subject))
      return `https://platform.example${path}`;
    if (exchange.inject('create-http-location', subject)) return url.replace(/^https:/, 'http:');
    if (exchange.inject('create-unversioned-location', subject))
      return url.replace(/\/api\/v\d/, '');
    if (exchange.inject('create-other-version-location', subject)) {
      return url.replace(/\/api\/v(\d)/, (_, version) => `/api/v${version === '1' ? 2 : 1}`);
    }
    return url;
  }
}

function tooMany(retryAfter: number): Refusal {
  return new Refusal(429, 'Too many requests', { 'retry-after': String(retryAfter) });
}
