import { applyDecorators, SetMetadata } from '@nestjs/common';

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

/** The mark of an Express handler, to which Nest copies the metadata; undefined when it is not ours. */
export function markOfHandler(handler: unknown): RawRouteMark | undefined {
  return typeof handler === 'function'
    ? (Reflect.getMetadata(RAW_ROUTE, handler) as RawRouteMark | undefined)
    : undefined;
}

/** The mark of a Fastify route; undefined when it is not ours. */
export function markOfConfig(config: unknown): RawRouteMark | undefined {
  return (config as Record<string, RawRouteMark> | undefined)?.[RAW_ROUTE];
}
