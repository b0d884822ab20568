import { applyDecorators, Post, SetMetadata } from '@nestjs/common';

const FORM_ROUTE = 'tillkit:dashboard-form';

/** Metadata that Nest's Fastify adapter hands to Fastify as the route's `config`. */
const FASTIFY_ROUTE_CONFIG = '__fastify_route_config__';

/** A route for a form of the dashboard. It works with any body parser of the host, and with none. */
export function FormRoute(path: string): MethodDecorator {
  return applyDecorators(Post(path), SetMetadata(FASTIFY_ROUTE_CONFIG, { [FORM_ROUTE]: true }));
}

export function isFormRoute(config: unknown): boolean {
  return (config as Record<string, unknown> | undefined)?.[FORM_ROUTE] === true;
}
