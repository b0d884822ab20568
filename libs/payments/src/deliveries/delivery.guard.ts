import { Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { PaymentsAccounts } from '../payments.accounts.js';
import type { PaymentsSettings } from '../payments.settings.js';
import { CALLBACK_RESOURCES, type CallbackResource } from '../resources/callback-urls.js';
import { isIdentifier } from '../values/identifier.js';
import type { VerifiedDelivery } from './inbox.service.js';
import { MismatchDiagnosis } from './mismatch.diagnosis.js';
import { OversizedCallbacksService } from './oversized-callbacks.service.js';
import { DeliveryRefusedError, type Refusal } from './refusal.js';
import { rawBodyOf } from './routes/raw-body.js';
import { markOfHandler } from './routes/raw-route.decorator.js';
import { SIGNATURE_HEADER, verifySignature } from './signature.js';
import { verifyUrlMac } from './url-mac.js';

const VERIFIED = Symbol('tillkit:verified');
const REACHED = Symbol('tillkit:reached-guard');

/** A request of Express or Fastify. Fastify has the original request under `raw`. */
interface DeliveryRequest {
  headers: IncomingHttpHeaders;
  params?: { resource?: string; id?: string; mac?: string };
  raw?: object;
  [VERIFIED]?: VerifiedDelivery;
  [REACHED]?: true;
}

/** The delivery of a request that passed the guard. Only the guard sets it, so it is always verified. */
export function verifiedDelivery(request: object): VerifiedDelivery {
  const delivery = (request as DeliveryRequest)[VERIFIED];
  if (!delivery) throw new Error('a delivery reached its handler unverified');
  return delivery;
}

/** Whether a request reached our guard. If not, a guard of the host has refused it. */
export function reachedGuard(request: object): boolean {
  return (request as DeliveryRequest)[REACHED] === true;
}

/** Accepts only deliveries that the platform certainly sent: it verifies the raw bytes, and parses nothing. */
@Injectable()
export class DeliveryGuard implements CanActivate {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly diagnosis: MismatchDiagnosis,
    private readonly oversized: OversizedCallbacksService,
    private readonly accounts: PaymentsAccounts,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<DeliveryRequest>();
    request[REACHED] = true;
    const settings = this.settingsOf(context);
    const body = rawBodyOf(request.raw ?? request) ?? ({ refused: 'consumed' } as const);
    if ('refused' in body) {
      if (body.refused === 'too_large') this.readInstead(settings, request);
      throw this.refuse(body.refused);
    }
    request[VERIFIED] = this.verify(settings, request, body.bytes);
    return true;
  }

  /** Reads the result of an oversized callback from the platform, if the callback's URL can be one of ours. */
  private readInstead(settings: PaymentsSettings, { params = {} }: DeliveryRequest): void {
    const { account, apiKeys, urlSecrets } = settings;
    const route = routeOf(params);
    if (!route?.resource || !route.resourceId) return;
    const signed = verifyUrlMac(purposeOf(account, route), params.mac, urlSecrets);
    if (apiKeys.length > 0 || signed)
      void this.oversized.refused(account, route.resource as CallbackResource, route.resourceId);
  }

  private verify(
    settings: PaymentsSettings,
    { headers, params = {} }: DeliveryRequest,
    body: Buffer,
  ): VerifiedDelivery {
    const { account, apiKeys, urlSecrets } = settings;
    const route = routeOf(params);
    if (!route) throw this.refuse('identifier');
    if (apiKeys.length > 0) {
      const signature = headers[SIGNATURE_HEADER];
      if (!verifySignature(body, signature, apiKeys)) {
        this.diagnosis.explain(settings, body, signature);
        throw this.refuse('signature');
      }
      return { ...route, account, verifiedBy: 'signature', body };
    }
    if (!verifyUrlMac(purposeOf(account, route), params.mac, urlSecrets))
      throw this.refuse('url_mac');
    return { ...route, account, verifiedBy: 'url', body };
  }

  /** The settings of the account whose route this is. */
  private settingsOf(context: ExecutionContext): PaymentsSettings {
    const mark = markOfHandler(context.getHandler());
    if (!mark) throw new Error('the guard of deliveries stands before a route that is not ours');
    return this.accounts.of(mark.account);
  }

  private refuse(refusal: Refusal): DeliveryRefusedError {
    if (refusal === 'consumed') {
      this.logger.error(
        'a delivery could not be verified, because a body parser of this application read its body first. Remove that ' +
          'parser (app.use(express.json())), or set rawBody: true',
      );
    } else {
      this.logger.debug(`a delivery was refused: ${refusal}`);
    }
    return new DeliveryRefusedError(refusal);
  }
}

function purposeOf(
  account: string,
  { kind, resource, resourceId }: Route,
): Parameters<typeof verifyUrlMac>[0] {
  return {
    purpose: kind,
    account,
    ...(resource && { resource }),
    ...(resourceId && { id: resourceId }),
  };
}

type Route = Pick<VerifiedDelivery, 'kind' | 'resource' | 'resourceId'>;

function routeOf({ resource, id }: NonNullable<DeliveryRequest['params']>): Route | null {
  if (resource === undefined) return { kind: 'webhook', resource: null, resourceId: null };
  const known = CALLBACK_RESOURCES.includes(resource as CallbackResource);
  return known && isIdentifier(id) ? { kind: 'callback', resource, resourceId: id } : null;
}
