import { OAuthRefusal, json, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import { timestamp } from '../values/timestamp.js';
import type { OAuthForm } from './oauth-form.dto.js';
import type { IssuedToken, Tokens } from './tokens.service.js';

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** The OAuth endpoints. */
export class TokenRoutes {
  constructor(
    private readonly tokens: Tokens,
    private readonly form: OAuthForm,
    private readonly clientId: string,
  ) {}

  routes(): PlatformRoute[] {
    return [
      { method: 'POST', path: '/oauth/token', handle: (exchange) => this.create(exchange) },
      { method: 'POST', path: '/oauth/revoke', handle: (exchange) => this.revoke(exchange) },
      {
        method: 'POST',
        path: '/oauth/introspect',
        handle: (exchange) => this.introspect(exchange),
      },
      { method: 'GET', path: '/oauth/token/info', handle: (exchange) => this.info(exchange) },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    const slow = exchange.inject('token-slow', {});
    if (slow) await exchange.wait(slow.ms!);
    const failing = exchange.inject('token-5xx', {});
    if (failing)
      return json(failing.status!, {
        error: 'server_error',
        error_description: 'Something went wrong.',
      });
    if (exchange.inject('token-nonsense', {})) {
      return {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<html><body>Maintenance</body></html>',
      };
    }
    const { grant_type: grantType } = this.form.read(exchange, 'grant_type');
    if (grantType !== 'client_credentials') {
      throw new OAuthRefusal(
        400,
        'unsupported_grant_type',
        'The authorization grant type is not supported by the authorization server.',
      );
    }
    const token = this.tokens.issue();
    return json(
      200,
      {
        access_token: token.value,
        token_type: 'Bearer',
        expires_in: token.expiresIn,
        ...this.createdAt(exchange, token),
      },
      NO_STORE,
    );
  }

  private createdAt(exchange: PlatformExchange, token: IssuedToken): Record<string, unknown> {
    if (exchange.inject('token-created-at-missing', {})) return {};
    if (exchange.inject('token-created-at-iso', {}))
      return { created_at: timestamp(token.createdAt) };
    return { created_at: seconds(token.createdAt) };
  }

  /** An unknown token is not an error. @see https://datatracker.ietf.org/doc/html/rfc7009#section-2.2 */
  private revoke(exchange: PlatformExchange): PlatformAnswer {
    this.tokens.revoke(this.form.read(exchange, 'token').token);
    return json(200, {});
  }

  /** The response for an invalid token has `active` only. @see https://datatracker.ietf.org/doc/html/rfc7662#section-2.2 */
  private introspect(exchange: PlatformExchange): PlatformAnswer {
    const token = this.tokens.find(this.form.read(exchange, 'token').token);
    if (token?.state !== 'active') return json(200, { active: false }, NO_STORE);
    const iat = seconds(token.createdAt);
    return json(
      200,
      {
        active: true,
        scope: '',
        client_id: this.clientId,
        token_type: 'Bearer',
        exp: iat + token.expiresIn,
        iat,
      },
      NO_STORE,
    );
  }

  private info(exchange: PlatformExchange): PlatformAnswer {
    const token = this.tokens.authorise(exchange.headers.authorization);
    return json(
      200,
      {
        resource_owner_id: null,
        scope: [],
        expires_in: this.tokens.remainingSeconds(token),
        application: { uid: this.clientId },
        created_at: seconds(token.createdAt),
      },
      NO_STORE,
    );
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
