import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatorSettings } from '../simulator.options.js';
import { OAuthRefusal } from '../server/platform-answer.dto.js';
import type { PlatformExchange } from '../server/platform-exchange.dto.js';
import { mediaType } from '../server/request.guard.js';

/** Reads the form of an OAuth endpoint and checks the application's credentials. */
export class OAuthForm {
  constructor(
    private readonly settings: SimulatorSettings,
    private readonly merchant: SimulatedMerchant,
  ) {}

  /** @throws OAuthRefusal for a body that is not a form, a missing, empty or repeated parameter, or wrong credentials. */
  read<Name extends string>(exchange: PlatformExchange, ...names: Name[]): Record<Name, string> {
    const parameters = parse(exchange, this.settings.strict);
    const values = {} as Record<Name | 'client_id' | 'client_secret', string>;
    for (const name of ['client_id', 'client_secret', ...names] as const) {
      const given = parameters.getAll(name);
      if (given.length > 1) throw invalidRequest(`Parameter given more than once: ${name}.`);
      if (!given[0]) throw invalidRequest(`Missing required parameter: ${name}.`);
      values[name] = given[0];
    }
    const isKnown = values.client_id === this.merchant.clientId;
    if (!this.merchant.hasSecret(values.client_secret) || !isKnown) {
      throw new OAuthRefusal(
        401,
        'invalid_client',
        'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
      );
    }
    return values;
  }
}

/** Returns the client id in the form of an OAuth endpoint, to find its merchant; empty when the form is invalid or has none. */
export function clientIdOf(exchange: PlatformExchange, strict: boolean): string {
  try {
    return parse(exchange, strict).get('client_id') ?? '';
  } catch {
    return '';
  }
}

function parse(exchange: PlatformExchange, strict: boolean): URLSearchParams {
  const body = exchange.body?.toString() ?? '';
  const type = mediaType(exchange.headers);
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(body);
  if (!strict && type === 'application/json') return parametersOfJson(body);
  throw invalidRequest('The Content-Type header must be application/x-www-form-urlencoded.');
}

function invalidRequest(description: string): OAuthRefusal {
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
