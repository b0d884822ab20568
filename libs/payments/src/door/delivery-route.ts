import type { IncomingHttpHeaders } from 'node:http';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { VerifiedDelivery } from '../inbox/inbox.service.js';
import { isIdentifier } from '../money/values.js';
import { LIMITS } from '../payments-defaults.js';
import { CALLBACK_RESOURCES, type CallbackResource } from '../platform/callback-urls.js';
import type { UrlPurpose } from './url-mac.js';

/** The part of a request on a route for deliveries that we know before its body. */
export interface DeliveryHead {
  headers: IncomingHttpHeaders;
  params?: { account?: string; resource?: string; id?: string; mac?: string };
}

/** Returns the account that a delivery is for; empty when its URL names none. */
export function accountOf(mark: DeliveryRouteMark, { params }: DeliveryHead): string {
  return mark.account ?? params?.account ?? '';
}

/** Returns the largest number of bytes that a body may have. */
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

/** Returns the data that the MAC at the end of this URL covers. */
export function purposeOf(account: string, route: DeliveryRoute): UrlPurpose {
  return route.kind === 'webhook'
    ? { purpose: 'webhook', account }
    : { purpose: 'callback', account, resource: route.resource, id: route.resourceId };
}

const RAW_ROUTE = 'tillkit:raw-route';

/** Metadata that Nest's Fastify adapter passes to Fastify as the route's `config`. */
const FASTIFY_ROUTE_CONFIG = '__fastify_route_config__';

/** Metadata on the handler of a route for deliveries. */
export interface DeliveryRouteMark {
  kind: 'webhook' | 'callback';
  /** Null: the path names the account, as `:account`. */
  account: string | null;
}

/** Metadata on the handler of a route for forms of a page. */
export interface FormRouteMark {
  kind: 'form';
  /** Largest body, in bytes. */
  maxBytes: number;
}

export type RawRouteMark = DeliveryRouteMark | FormRouteMark;

/** Marks a handler that needs the raw bytes of its request, whatever the host parses. The bytes are limited in size and time. */
export function RawRoute(mark: RawRouteMark): MethodDecorator {
  return applyDecorators(
    SetMetadata(RAW_ROUTE, mark),
    SetMetadata(FASTIFY_ROUTE_CONFIG, { [RAW_ROUTE]: mark }),
  );
}

/** Returns the mark of an Express handler, to which Nest copies the metadata; undefined when it is not ours. */
export function markOfHandler(handler: unknown): RawRouteMark | undefined {
  return typeof handler === 'function'
    ? (Reflect.getMetadata(RAW_ROUTE, handler) as RawRouteMark | undefined)
    : undefined;
}

/** Returns the mark of a Fastify route; undefined when it is not ours. */
export function markOfConfig(config: unknown): RawRouteMark | undefined {
  return (config as Record<string, RawRouteMark> | undefined)?.[RAW_ROUTE];
}
