import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AccountRegistry } from '../accounts/account-registry.js';
import { DeliveryAdmission } from './delivery-admission.js';
import {
  accountOf,
  type DeliveryHead,
  type DeliveryRoute,
  type DeliveryRouteMark,
  deliveryRouteOf,
  markOfHandler,
} from './delivery-route.js';
import type { VerifiedDelivery } from '../inbox/inbox.service.js';
import { DeliveryRefusedError, type Refusal } from './refusals.js';
import { rawBodyOf, type RawBody } from './raw-body.js';
import { SIGNATURE_HEADER, verifySignature } from './signature.js';

const VERIFIED = Symbol('tillkit:verified');
const REACHED = Symbol('tillkit:reached-guard');

/** A request of Express or Fastify. */
interface DeliveryRequest extends DeliveryHead {
  [VERIFIED]?: VerifiedDelivery;
  [REACHED]?: true;
}

/** Returns the delivery of a request that passed the guard. Only the guard sets it, so it is always verified. */
export function verifiedDelivery(request: object): VerifiedDelivery {
  const delivery = (request as DeliveryRequest)[VERIFIED];
  if (!delivery) throw new Error('a delivery reached its handler unverified');
  return delivery;
}

/** True when a request reached our guard. If not, a guard of the host has refused it. */
export function reachedGuard(request: object): boolean {
  return (request as DeliveryRequest)[REACHED] === true;
}

/** Accepts only deliveries that the platform certainly sent: it verifies the raw bytes, and parses nothing. */
@Injectable()
export class DeliveryGuard implements CanActivate {
  constructor(
    private readonly admission: DeliveryAdmission,
    private readonly accounts: AccountRegistry,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<DeliveryRequest>();
    request[REACHED] = true;
    const mark = markOfHandler(context.getHandler());
    if (!mark || mark.kind === 'form')
      throw new Error('the guard of deliveries stands before a route that is not ours');
    const account = accountOf(mark, request);
    const body = rawBodyOf(request) ?? ({ refused: 'consumed' } as const);
    const verify = (): VerifiedDelivery | Refusal => this.verify(mark, request, body);
    const first = verify();
    const judged =
      first === 'signature' || first === 'account'
        ? await this.admission.afterReload(account, first, verify, sizeOf(body))
        : first;
    const verified = typeof judged === 'string' ? judged : await this.opened(judged);
    if (typeof verified === 'string') {
      this.admission.refuse(account, request, verified, body);
      throw new DeliveryRefusedError(verified);
    }
    request[VERIFIED] = verified;
    return true;
  }

  /** Opens the account only now, if this is the first delivery for it, so that a refused delivery has no effect. */
  private async opened(delivery: VerifiedDelivery): Promise<VerifiedDelivery | Refusal> {
    try {
      return (await this.accounts.load(delivery.account)) ? delivery : 'unsure';
    } catch {
      return 'unsure';
    }
  }

  /** Judges the head again: a host's parser may have read the body before our routes were reached. */
  private verify(
    mark: DeliveryRouteMark,
    request: DeliveryRequest,
    body: RawBody,
  ): VerifiedDelivery | Refusal {
    const refusal = this.admission.refusalOf(mark, request);
    if (refusal) return refusal;
    if ('refused' in body) return body.refused;
    const settings = this.accounts.toVerify(accountOf(mark, request));
    // The account is unknown. We read the body like that of any other account.
    if (!settings) return 'account';
    const { account, apiKeys } = settings;
    const route = deliveryRouteOf(request) as DeliveryRoute;
    // Without API keys the URL was verified with the head.
    if (apiKeys.length === 0) return { ...route, account, verifiedBy: 'url', body: body.bytes };
    return verifySignature(body.bytes, request.headers[SIGNATURE_HEADER], apiKeys)
      ? { ...route, account, verifiedBy: 'signature', body: body.bytes }
      : 'signature';
  }
}

function sizeOf(body: RawBody): number {
  return 'refused' in body ? 0 : body.bytes.length;
}
