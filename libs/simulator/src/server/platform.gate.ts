import type { FaultSubject } from '../faults/faults.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import { unauthorised, type Tokens } from '../tokens/tokens.service.js';
import { complaintsAbout, type BodySchema } from './body.dto.js';
import { Refusal, jsonText, type PlatformAnswer } from './platform.answer.js';
import type { PlatformExchange } from './platform.exchange.js';
import { checkHeaders, readJsonBody } from './request.guard.js';

/** What every create and every read of the API has in common: who may enter, and what can go wrong on the way out. */
export class PlatformGate {
  constructor(
    private readonly settings: SimulatorSettings,
    private readonly tokens: Tokens,
    private readonly baseUrl: () => string,
  ) {}

  /** Checks the authorisation, then the headers. @throws Refusal */
  enter(exchange: PlatformExchange, resource: string): void {
    const token = this.tokens.authorise(exchange.headers.authorization);
    if (exchange.strike('token-expires-mid-flight', { resource })) {
      token.state = 'expired';
      throw unauthorised('ExpiredAccessToken');
    }
    if (this.settings.strict) checkHeaders(exchange.headers);
  }

  /** The body of a create, complete and right. @throws Refusal 415 or 400 that names every mistake. */
  body<Body>(exchange: PlatformExchange, schema: BodySchema): Body {
    const body = readJsonBody(exchange.headers, exchange.body);
    const complaints = complaintsAbout(body, schema, !this.settings.strict);
    if (complaints.length > 0)
      throw new Refusal(400, complaints.length === 1 ? complaints[0]! : complaints);
    return body as Body;
  }

  /**
   * Carries out a create and answers 201 with `Location`, unless a fault changes the answer.
   *
   * @param commit carries it out and gives the path of the new resource.
   */
  async create(
    exchange: PlatformExchange,
    subject: FaultSubject,
    commit: () => string | Promise<string>,
  ): Promise<PlatformAnswer> {
    const before = this.strikeBefore(exchange, subject);
    if (before) return before;
    const path = await commit();
    return (
      this.strikeAfter(exchange, subject) ?? this.created(this.location(exchange, subject, path))
    );
  }

  /** Answers a read, unless a fault changes the answer. */
  async read(
    exchange: PlatformExchange,
    subject: FaultSubject,
    body: () => string | Buffer,
  ): Promise<PlatformAnswer> {
    const failing = exchange.strike('read-5xx', subject);
    if (failing) throw new Refusal(failing.status!, 'The service is unavailable');
    if (exchange.strike('read-404', subject)) throw new Refusal(404, 'The resource was not found');
    const limited = exchange.strike('read-429', subject);
    if (limited) throw tooMany(limited.retryAfter!);
    const slow = exchange.strike('read-slow', subject);
    if (slow) await exchange.wait(slow.ms!);
    const answer = jsonText(200, body());
    if (exchange.strike('read-reset', subject)) return { ...answer, manner: 'reset-midway' };
    const drip = exchange.strike('read-drip', subject);
    return drip ? { ...answer, manner: { dripMs: drip.ms! } } : answer;
  }

  private strikeBefore(exchange: PlatformExchange, subject: FaultSubject): PlatformAnswer | null {
    if (exchange.strike('create-reset-before-commit', subject))
      return { status: 0, manner: 'reset' };
    const failing = exchange.strike('create-5xx-before-commit', subject);
    if (failing) throw new Refusal(failing.status!, 'The service is unavailable');
    const limited = exchange.strike('create-429', subject);
    if (limited) throw tooMany(limited.retryAfter!);
    if (exchange.strike('create-302', subject)) {
      return { status: 302, headers: { location: `${this.baseUrl()}/elsewhere${exchange.url}` } };
    }
    // Drawn here, so that one that isn't carried out leaves no trace.
    const late = exchange.strike('create-408', subject);
    if (late && !late.commits) throw new Refusal(408, 'The request took too long');
    if (late) exchange.afterCommit = new Refusal(408, 'The request took too long').answer();
    return null;
  }

  private strikeAfter(exchange: PlatformExchange, subject: FaultSubject): PlatformAnswer | null {
    if (exchange.afterCommit) return exchange.afterCommit;
    if (exchange.strike('create-never-answers', subject)) return { status: 0, manner: 'never' };
    if (exchange.strike('create-reset-after-commit', subject))
      return { status: 0, manner: 'reset' };
    const failing = exchange.strike('create-5xx-after-commit', subject);
    return failing ? new Refusal(failing.status!, 'The service is unavailable').answer() : null;
  }

  private location(exchange: PlatformExchange, subject: FaultSubject, path: string): string | null {
    const url = this.baseUrl() + path;
    if (exchange.strike('create-without-location', subject)) return null;
    if (exchange.strike('create-foreign-location', subject))
      return `https://platform.example${path}`;
    if (exchange.strike('create-http-location', subject)) return url.replace(/^https:/, 'http:');
    if (exchange.strike('create-unversioned-location', subject))
      return url.replace(/\/api\/v\d/, '');
    if (exchange.strike('create-other-version-location', subject)) {
      return url.replace(/\/api\/v(\d)/, (_, version) => `/api/v${version === '1' ? 2 : 1}`);
    }
    return url;
  }

  private created(location: string | null): PlatformAnswer {
    return { status: 201, headers: location === null ? {} : { location } };
  }
}

function tooMany(retryAfter: number): Refusal {
  return new Refusal(429, 'Too many requests', { 'retry-after': String(retryAfter) });
}
