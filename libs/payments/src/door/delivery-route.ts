import type { IncomingHttpHeaders } from 'node:http';
import { LIMITS } from '../payments-defaults.js';
import { CALLBACK_RESOURCES, type CallbackResource } from '../work/callback-urls.js';
import { isIdentifier } from '../money/identifier.js';
import type { VerifiedDelivery } from '../inbox/inbox.service.js';
import type { DeliveryRouteMark } from './raw-route.decorator.js';
import type { UrlPurpose } from './url-mac.js';

/** What is known of a request on a route for deliveries before its body. */
export interface DeliveryHead {
  headers: IncomingHttpHeaders;
  params?: { account?: string; resource?: string; id?: string; mac?: string };
}

/** The account that a delivery is for; empty when its URL names none. */
export function accountOf(mark: DeliveryRouteMark, { params }: DeliveryHead): string {
  return mark.account ?? params?.account ?? '';
}

/** Most bytes of a delivery. */
export function largestBody(kind: VerifiedDelivery['kind']): number {
  return kind === 'webhook' ? LIMITS.webhookBytes : LIMITS.callbackBytes;
}

/** The part of a delivery that its URL gives. */
export type DeliveryRoute = Pick<VerifiedDelivery, 'kind'> &
  (
    | { kind: 'webhook'; resource: null; resourceId: null }
    | { kind: 'callback'; resource: CallbackResource; resourceId: string }
  );

/** Reads the URL of a delivery; null when we hand out no such URL. */
export function deliveryRouteOf({ params = {} }: DeliveryHead): DeliveryRoute | null {
  const { resource, id } = params;
  if (resource === undefined) return { kind: 'webhook', resource: null, resourceId: null };
  if (!CALLBACK_RESOURCES.includes(resource as CallbackResource) || !isIdentifier(id)) return null;
  return { kind: 'callback', resource: resource as CallbackResource, resourceId: id };
}

/** What the MAC at the end of this URL covers. */
export function purposeOf(account: string, route: DeliveryRoute): UrlPurpose {
  return route.kind === 'webhook'
    ? { purpose: 'webhook', account }
    : { purpose: 'callback', account, resource: route.resource, id: route.resourceId };
}
