import { createHash, timingSafeEqual } from 'node:crypto';
import type { SimulatorSettings } from '../simulator.options.js';
import { OAuthRefusal } from '../server/platform-answer.dto.js';
import type { PlatformExchange } from '../server/platform-exchange.dto.js';
import { mediaType } from '../server/request.guard.js';

/** Reads the form of an OAuth endpoint and checks the application's credentials. */
export class OAuthForm {
  constructor(private readonly settings: SimulatorSettings) {}

  /** @throws OAuthRefusal for a body that is not a form, a missing, empty or repeated parameter, or wrong credentials. */
  read<Name extends string>(exchange: PlatformExchange, ...names: Name[]): Record<Name, string> {
    const parameters = this.parse(exchange);
    const values = {} as Record<Name | 'client_id' | 'client_secret', string>;
    for (const name of ['client_id', 'client_secret', ...names] as const) {
      const given = parameters.getAll(name);
      if (given.length > 1) throw invalidRequest(`Parameter given more than once: ${name}.`);
      if (!given[0]) throw invalidRequest(`Missing required parameter: ${name}.`);
      values[name] = given[0];
    }
    const known = same(values.client_id, this.settings.clientId);
    if (!same(values.client_secret, this.settings.clientSecret) || !known) {
      throw new OAuthRefusal(
        401,
        'invalid_client',
        'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
      );
    }
    return values;
  }

  private parse(exchange: PlatformExchange): URLSearchParams {
    const body = exchange.body?.toString() ?? '';
    const type = mediaType(exchange.headers);
    if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(body);
    if (!this.settings.strict && type === 'application/json') return parametersOfJson(body);
    throw invalidRequest('The Content-Type header must be application/x-www-form-urlencoded.');
  }
}

export function invalidRequest(description: string): OAuthRefusal {
  return new OAuthRefusal(400, 'invalid_request', description);
}

function parametersOfJson(body: string): URLSearchParams {
  try {
    const parsed: unknown = JSON.parse(body);
    return new URLSearchParams(parsed as Record<string, string>);
  } catch {
    throw invalidRequest('The body is not JSON.');
  }
}

function same(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
