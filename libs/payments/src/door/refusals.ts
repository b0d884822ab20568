import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { HttpException, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { Runtime } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import type { DeliveryHead } from './delivery-route.js';
import type { RawBody } from './raw-body.js';
import { isSignature, SIGNATURE_HEADER, verifySignature } from './signature.js';
import { RouteRegistry } from './signed-callback-urls.js';

/** Each reason to refuse a delivery, with the HTTP status of the answer. Only the log has the reason, never the answer. */
export const REFUSAL_STATUS = {
  too_large: 413,
  encoded: 415,
  consumed: 415,
  signature: 401,
  url_mac: 401,
  identifier: 404,
  // We answer as to a wrong signature, because a stranger must not learn which accounts there are.
  account: 401,
  unsure: 503,
  slow: 408,
  busy: 503,
} as const;

export type Refusal = keyof typeof REFUSAL_STATUS;

/** A refusal before the host's parsers could read the body. */
export type EarlyRefusal = Exclude<Refusal, 'consumed'>;

/** The guard refused a delivery. The answer has the status only. */
export class DeliveryRefusedError extends HttpException {
  constructor(refusal: Refusal) {
    super('', REFUSAL_STATUS[refusal]);
  }
}

/** A cause, as the log has it. A wrong signature has a diagnosis instead. */
const REASONS: Readonly<Record<Exclude<Refusal, 'signature'>, string>> = {
  too_large: 'its body is larger than 64 kB (a webhook) or 1 MB (a callback)',
  encoded: 'its body is compressed. The platform compresses nothing: look for a proxy that does',
  consumed:
    'a body parser of this application read its body first. Remove that parser (app.use(express.json())), or set rawBody: true',
  url_mac:
    'the MAC in its URL is missing or wrong. If you replaced the URL secret, add the former one to PAYMENTS_URL_SECRETS',
  account: 'its URL names an account that this application does not have',
  unsure:
    'its account, or the newest secrets of it, could not be loaded just now. The platform sends it again',
  identifier: 'its URL is none that this application gave to the platform',
  slow: 'its body did not arrive within deliveries.bodyTimeoutMs',
  busy: 'too many large bodies were arriving at the same time. The platform sends it again',
};

/** Logs refused deliveries, few of each cause and account. It runs after the answer. */
@Injectable()
export class RefusalLog {
  private readonly logger: SafeLogger;

  constructor(runtime: Runtime) {
    this.logger = new SafeLogger(() => runtime.elapsed());
  }

  /** It never throws, and nobody awaits it. */
  note(
    settings: PaymentsSettings | null,
    head: DeliveryHead,
    refusal: Refusal,
    body?: RawBody,
  ): void {
    // All names that somebody invents count as one account here.
    const account = settings?.account ?? '?';
    const signature = head.headers[SIGNATURE_HEADER];
    // A wrong signature counts apart: posts without any signature must not prevent that the log explains it.
    const cause = refusal === 'signature' && isSignature(signature) ? 'wrong signature' : refusal;
    // Only a change of this application helps when its own parser reads the body.
    const level = refusal === 'consumed' ? 'error' : 'warn';
    const line = (): string =>
      `a delivery was refused: ${
        refusal !== 'signature'
          ? REASONS[refusal]
          : settings && explainMismatch(settings, body, signature)
      }`;
    setImmediate(() => this.logger.seldom(level, cause, line, { account }));
  }
}

const LARGEST_BYTES = 64 * 1024;

/** The secrets with which a refused signature is compared. */
export type SignatureSecrets = Pick<PaymentsSettings, 'clientSecret' | 'clientId' | 'apiKeys'>;

/**
 * Says what a refused signature matches, because integrators confuse the keys. What it parses is thrown away.
 * @param raw the body, if it was read: a delivery without a signature is refused before
 */
export function explainMismatch(
  { clientSecret, clientId, apiKeys }: SignatureSecrets,
  raw: RawBody | undefined,
  signature: unknown,
): string {
  if (signature === undefined) return 'it carries no signature';
  if (!isSignature(signature)) {
    return 'its signature is not the 64 hexadecimal characters of an HMAC-SHA256';
  }
  if (!raw || !('bytes' in raw) || raw.bytes.length > LARGEST_BYTES) {
    return 'its signature matches none of the API keys';
  }
  const body = raw.bytes;
  const matches = (bytes: Buffer, key: string): boolean =>
    key !== '' && verifySignature(bytes, signature, [key]);
  if (matches(body, clientSecret)) {
    return 'its signature matches the client secret, not an API key: put that secret into PAYMENTS_API_KEYS';
  }
  if (matches(body, clientId)) return 'its signature matches the client id, not an API key';
  const respaced = reserialised(body);
  if (respaced && apiKeys.some((key) => matches(respaced, key))) {
    return 'its signature matches the re-serialised body: a proxy between the platform and this application rewrites JSON';
  }
  const trimmed = Buffer.from(body.toString('utf8').trim());
  if (apiKeys.some((key) => matches(trimmed, key))) {
    return 'its signature matches the body without surrounding white space: a proxy adds white space';
  }
  return 'its signature matches none of the API keys; if the key was renewed in the portal, add it to PAYMENTS_API_KEYS';
}

function reserialised(body: Buffer): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8'))));
  } catch {
    return null;
  }
}

/** A path that was meant for our routes, maybe with a wrong prefix, number or case. */
const NEAR = /\/(?:webhook|callback)s?(?:[/?]|$)/i;

const NOT_FOUND = [404, 405];
const MOVED = [301, 302, 303];

/** Requests that reached one of our routes. A refusal there has its own line in the log. */
const ours = new WeakSet<IncomingMessage>();

export function reachedOurRoute(request: IncomingMessage): void {
  ours.add(request);
}

/**
 * Says in the log that a request went past our routes. With a wrong URL at the platform, or behind a redirect, every callback is lost, and
 * the answer of the host, a 404, says nothing. The line does not have the URL, because anybody can write it and it may have a MAC.
 */
@Injectable()
export class NearMisses implements OnApplicationBootstrap {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly registry: RouteRegistry,
  ) {}

  onApplicationBootstrap(): void {
    // An application context has no HTTP.
    const adapter = this.host.httpAdapter as HttpAdapterHost['httpAdapter'] | undefined;
    const server = adapter?.getHttpServer() as Server | undefined;
    server?.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (NEAR.test(request.url ?? ''))
        response.once('finish', () => this.answered(request, response.statusCode));
    });
  }

  private answered(request: IncomingMessage, status: number): void {
    if (ours.has(request)) return;
    const method = request.method === 'POST' ? 'POST' : 'GET';
    const why = whyMissed(method, status);
    if (why === null) return;
    this.logger.seldom('warn', `${method} ${status}`, () => {
      const path = this.registry.webhookPath() ?? 'the payments routes';
      return `a ${method} near the payments routes was answered ${status}: ${why}. The platform posts to ${path}`;
    });
  }
}

function whyMissed(method: 'GET' | 'POST', status: number): string | null {
  if (method === 'POST' && MOVED.includes(status))
    return 'this redirect makes the platform, or a proxy, send a GET without the delivery: give the platform the URL to which it leads';
  if (!NOT_FOUND.includes(status)) return null;
  return method === 'POST'
    ? 'if the platform sent it, its URL is wrong: look at the prefix of the path, PAYMENTS_PUBLIC_URL, and the subscriptions of webhooks'
    : 'a delivery is a POST. If the platform sent it, a redirect (http to https, another host, a slash) turned the POST into a GET: ' +
        'give the platform the URL to which it leads';
}

const TITLES: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Returns the answer to every error on our routes. It has the status only: a reason would help an attacker. */
export function problemOf(status: number): { status: number; type: string; text: string } {
  return {
    status,
    type: 'application/problem+json',
    // The body is a text, because Nest 11 on Express changes the content type of an object.
    text: JSON.stringify({ type: 'about:blank', title: TITLES[status] ?? 'Error', status }),
  };
}
