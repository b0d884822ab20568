import {
  Inject,
  Injectable,
  Logger,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { CALLBACK_RESOURCES, type CallbackResource } from '../resources/callback-urls.js';
import { isIdentifier } from '../values/identifier.js';
import type { VerifiedDelivery } from '../inbox/inbox.js';
import { OversizedCallbacks } from '../inbox/oversized.callbacks.js';
import { MismatchDiagnosis } from './mismatch.diagnosis.js';
import { rawBodyOf } from './raw-body.js';
import { DeliveryRefusedError, type RefusalCheck } from './refusals.js';
import { SIGNATURE_HEADER, verifySignature } from './signature.js';
import { verifyUrlMac } from './url-mac.signer.js';

const VERIFIED = Symbol('tillkit:verified');
const REACHED = Symbol('tillkit:reached-guard');

/** A request as both platforms have it: Fastify keeps the original under `raw`. */
interface DeliveryRequest {
  headers: IncomingHttpHeaders;
  params?: { resource?: string; id?: string; mac?: string };
  raw?: object;
  [VERIFIED]?: VerifiedDelivery;
  [REACHED]?: true;
}

/** The checked delivery of a request that passed the guard: it cannot be held without having been verified. */
export function verifiedDelivery(request: object): VerifiedDelivery {
  const delivery = (request as DeliveryRequest)[VERIFIED];
  if (!delivery) throw new Error('a delivery reached its handler unverified');
  return delivery;
}

/** Whether a refusal is ours, or a guard of the host was first. */
export function reachedGuard(request: object): boolean {
  return (request as DeliveryRequest)[REACHED] === true;
}

const REFUSED_BYTES = {
  too_large: [413, 'size'],
  encoded: [415, 'encoding'],
  consumed: [415, 'consumed'],
} as const;

/** Lets in what the platform certainly sent, judged on the bytes as they came; parses nothing. */
@Injectable()
export class DeliveryGuard implements CanActivate {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly diagnosis: MismatchDiagnosis,
    private readonly oversized: OversizedCallbacks,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<DeliveryRequest>();
    request[REACHED] = true;
    const body = rawBodyOf(request.raw ?? request) ?? ({ refused: 'consumed' } as const);
    if ('refused' in body) {
      const [status, check] = REFUSED_BYTES[body.refused];
      if (check === 'size') this.askInstead(request);
      throw this.refusal(status, check);
    }
    request[VERIFIED] = this.verify(request, body.bytes);
    return true;
  }

  /** What a callback that is too large would have said is asked for, where only its URL could have been handed out. */
  private askInstead({ params = {} }: DeliveryRequest): void {
    const { apiKeys, urlSecrets } = this.options;
    const route = routeOf(params);
    if (!route?.resource || !route.resourceId) return;
    const signed = verifyUrlMac(this.purposeOf(route), params.mac, urlSecrets);
    if (apiKeys.length > 0 || signed)
      void this.oversized.refused(route.resource as CallbackResource, route.resourceId);
  }

  private verify({ headers, params = {} }: DeliveryRequest, body: Buffer): VerifiedDelivery {
    const { apiKeys, urlSecrets } = this.options;
    const route = routeOf(params);
    if (!route) throw this.refusal(404, 'identifier');
    if (apiKeys.length > 0) {
      const signature = headers[SIGNATURE_HEADER];
      if (!verifySignature(body, signature, apiKeys)) {
        this.diagnosis.explain(body, signature);
        throw this.refusal(401, 'signature');
      }
      return { ...route, verifiedBy: 'signature', body };
    }
    if (!verifyUrlMac(this.purposeOf(route), params.mac, urlSecrets))
      throw this.refusal(401, 'url_mac');
    return { ...route, verifiedBy: 'url', body };
  }

  private purposeOf({ kind, resource, resourceId }: Route): Parameters<typeof verifyUrlMac>[0] {
    return {
      purpose: kind,
      account: this.options.account,
      ...(resource && { resource }),
      ...(resourceId && { id: resourceId }),
    };
  }

  private refusal(status: 401 | 404 | 413 | 415, check: RefusalCheck): DeliveryRefusedError {
    if (check === 'consumed') {
      this.logger.error(
        'a delivery could not be verified: something read its body before us. Remove the body parser that this ' +
          'application adds itself (app.use(express.json())), or set rawBody: true',
      );
    } else {
      this.logger.debug(`a delivery was refused (${status}) by its ${check}`);
    }
    return new DeliveryRefusedError(status, check);
  }
}

type Route = Pick<VerifiedDelivery, 'kind' | 'resource' | 'resourceId'>;

function routeOf({ resource, id }: NonNullable<DeliveryRequest['params']>): Route | null {
  if (resource === undefined) return { kind: 'webhook', resource: null, resourceId: null };
  const known = CALLBACK_RESOURCES.includes(resource as CallbackResource);
  return known && isIdentifier(id) ? { kind: 'callback', resource, resourceId: id } : null;
}
